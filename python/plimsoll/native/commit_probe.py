"""The probe of commits, which counts in the kernel; it is there until it is stopped, dropped, or its process ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll import _core
from plimsoll.native.errors import engine_errors

if TYPE_CHECKING:
    # Types of the stub alone: the compiled module has no such names.
    from plimsoll._core import _CommitCounts, _CommitRow, _CommitUnderWay

    CommitCounts = _CommitCounts
    CommitRow = _CommitRow
    CommitUnderWay = _CommitUnderWay

CommitProbe = _core.CommitProbe


@engine_errors()
def start(threads_max: int | None = None, rows_max: int | None = None) -> CommitProbe:
    """Puts it into the kernel, with room for so many threads and so many rows; what is beyond counts as lost.

    Raises `probe-no-rights`, `probe-container`, `probe-locked-down`, `probe-no-types`, `probe-event-missing`, `probe-refused`.
    """
    return _core.start_commit_probe(threads_max, rows_max)


@engine_errors()
def read(probe: CommitProbe) -> tuple[list[CommitRow], CommitCounts]:
    """What was added since the reading before, and what is in no row since the start. Raises `probe-unread`."""
    return probe.read()


@engine_errors()
def see_log_flushes(probe: CommitProbe, executable: str) -> None:
    """From now on calls of XLogFlush in this program are commits of their own. Raises `probe-refused`."""
    probe.see_log_flushes(executable)


@engine_errors()
def see_standby_waits(probe: CommitProbe, executable: str) -> None:
    """From now on waits for a synchronous standby in this program are seen. Raises `probe-refused`."""
    probe.see_standby_waits(executable)


@engine_errors()
def leave_log_flushes(probe: CommitProbe) -> None:
    """Calls that begin from now on are not told apart, in all programs; those under way are seen to their end.

    Raises `probe-refused`.
    """
    probe.leave_log_flushes()


@engine_errors()
def let_log_flushes_go(probe: CommitProbe) -> None:
    """Nor are those; calls cost nothing any more. Raises `probe-refused`."""
    probe.let_log_flushes_go()


@engine_errors()
def under_way(probe: CommitProbe) -> list[CommitUnderWay]:
    """Commits that have begun and not ended. Raises `probe-unread`."""
    return probe.under_way()
