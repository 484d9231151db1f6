"""Whether others were at work on the device while a line was searched, by the device's own counters in its trials.

A note alone would be overread: the line itself says that it was shared, and the verdict judges by it.
"""

from __future__ import annotations

from statistics import median

from plimsoll.facts import Cell, Line, Note, Shared

_SHARE_MIN = 1 / 3
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
    cells = [
        trial.cell for trial in line.trials if trial.cell.at_devices is not None and trial.cell.at_devices.ios
    ]
    beside = [found for cell in cells if (found := _beside(cell)) is not None]
    if len(beside) < max(_TRIALS_MIN, _SHARE_MIN * len(cells)):
        return None
    names = sorted({name for cell in cells if cell.at_devices for name in cell.at_devices.devices})
    return Shared(
        devices=tuple(names),
        others_iops=median(one[0] for one in beside),
        others_mb_per_s=median(one[1] for one in beside),
    )


def _beside(cell: Cell) -> tuple[float, float] | None:
    """I/Os and MB per second of others in a trial; None where nobody was seen. Merged I/Os make the first too low."""
    found = cell.at_devices
    seconds = cell.warm_up_s + cell.runtime_s
    if found is None or not found.moved_more or found.others_bytes_per_s is None or seconds <= 0:
        return None
    more = (found.device_bytes - found.bytes) / seconds
    if found.others_bytes_per_s < _EXPLAINED_SHARE * more:
        return None
    ios = max(0, found.device_reads + found.device_writes - found.ios)
    return ios / seconds, more / 1e6
