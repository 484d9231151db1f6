"""The probe of calls, which counts in the kernel; it is there until it is stopped, dropped, or its process ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll import _core
from plimsoll.native.errors import engine_errors

if TYPE_CHECKING:
    # Types of the stub alone: the compiled module has no such names.
    from plimsoll._core import _CallCounts, _CallRow

    CallCounts = _CallCounts
    CallRow = _CallRow

CallProbe = _core.CallProbe


@engine_errors()
def start(threads_max: int | None = None, rows_max: int | None = None) -> CallProbe:
    """Puts it into the kernel, with room for so many threads and so many rows between two readings; what is beyond counts as lost.

    Raises `probe-no-rights`, `probe-container`, `probe-locked-down`, `probe-no-types`, `probe-event-missing`, `probe-refused`.
    """
    return _core.start_call_probe(threads_max, rows_max)


@engine_errors()
def cut(probe: CallProbe) -> None:
    """From here on rows belong to the reading after the next; it takes no time to speak of. Raises `probe-unread`."""
    probe.cut()


@engine_errors()
def read(probe: CallProbe) -> tuple[list[CallRow], CallCounts]:
    """What was added until the last cut, and what is in no row since the start. Raises `probe-unread`."""
    return probe.read()
