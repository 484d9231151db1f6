"""Whether others were at work on the device while a line was searched, by the device's own counters in its trials.

A note alone would be overread: the line itself says that it was shared, and the verdict judges by it. A trial that missed beside
them may have missed because of them, and is made again.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from plimsoll.base.limits import DEVICE_BYTES_SHARE_MAX, DEVICE_BYTES_SLACK
from plimsoll.facts import AtDevices, Cell, Line, Note, Shared

_TRIALS_MIN = 2
_EXPLAINED_SHARE = 0.5
"""What others move after a trial explains what was moved beside us if it is at least so much of it."""


def with_sharing(line: Line) -> Line:
    """The line with those who were seen beside it; of a line that was searched beside known others with a note alone."""
    shared = line.shared or _seen(line)
    if shared is None:
        return line
    stopped = "" if shared.stopped is None else f"; the load was ended because {shared.stopped}"
    watched = f"; watched were {', '.join(shared.watched)}" if shared.watched else ""
    note = Note(
        code="shared-storage",
        message=f"the line is of what others left over: {shared.words}{watched}{stopped}",
    )
    return line.model_copy(update={"shared": shared, "notes": (*line.notes, note)})


def _seen(line: Line) -> Shared | None:
    """Others who moved more in all trials and controls together than a file system keeps of its own, in two of them at least."""
    cells = [trial.cell for trial in (*line.trials, *line.controls)]
    counted = [cell.at_devices for cell in cells if cell.at_devices is not None and cell.at_devices.ios]
    hit = [cell for cell in cells if _others_bytes(cell)]
    beside = [_per_s(cell) for cell in hit]
    if len(beside) < _TRIALS_MIN or not _is_much(sum(map(_others_bytes, hit)), counted):
        return None
    return Shared(
        devices=tuple(sorted({name for one in counted for name in one.devices})),
        others_iops=median(one[0] for one in beside),
        others_mb_per_s=median(one[1] for one in beside),
    )


def _is_much(others_bytes: int, counted: Sequence[AtDevices]) -> bool:
    ours = sum(one.bytes for one in counted)
    return others_bytes > DEVICE_BYTES_SLACK and others_bytes > DEVICE_BYTES_SHARE_MAX * ours


def others_words(cell: Cell) -> str | None:
    """What others moved in this trial; None where nobody was seen."""
    found, others = cell.at_devices, _others_bytes(cell)
    if found is None or not others:
        return None
    moved = f"moved {others / 1e6:,.1f} MB beside the {found.bytes / 1e6:,.1f} MB of ours"
    return f"others were at work on {' and '.join(found.devices)}, which {moved}"


def _others_bytes(cell: Cell) -> int:
    """Bytes that others moved while a trial was measured; 0 where nobody was seen, or nobody looked. What the page cache writes
    later is our own."""
    found, seconds = cell.at_devices, _whole_s(cell)
    if found is None or not cell.direct or not found.ios or found.others_bytes_per_s is None:
        return 0
    if not found.moved_more:
        return 0
    more = found.device_bytes - found.bytes
    return more if found.others_bytes_per_s * seconds >= _EXPLAINED_SHARE * more else 0


def _per_s(cell: Cell) -> tuple[float, float]:
    """I/Os and MB per second of others in a trial beside which they were seen. Merged I/Os make the first too low."""
    found, seconds = cell.at_devices, _whole_s(cell)
    assert found is not None, "they were seen by its counters"
    ios = max(0, found.device_ios - found.ios)
    return ios / seconds, _others_bytes(cell) / seconds / 1e6


def _whole_s(cell: Cell) -> float:
    return cell.warm_up_s + cell.runtime_s
