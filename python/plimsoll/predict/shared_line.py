"""What a verdict is worth whose lines were measured beside others.

A yes holds for what is left beside them, and says so. A no stands only where they cannot have taken what is missing: an I/O of
theirs may have cost as much as `DEARER_MAX` of ours, and their bytes at most as much as ours.
"""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.demand.cover import DEARER_MAX
from plimsoll.facts import Line, Shared

Answer = tuple[bool | None, float | None, str]


def shared_of(lines: Sequence[Line]) -> Shared | None:
    """Those who were seen beside the first of the lines that was shared."""
    return next((line.shared for line in lines if line.shared is not None), None)


def beside_others(lines: Sequence[Line], decides: Line, answer: Answer) -> Answer:
    """The answer, with what others mean to it."""
    carries, headroom, reason = answer
    shared = decides.shared or shared_of(lines)
    if shared is None or carries is None:
        return answer
    if carries:
        return (
            carries,
            headroom,
            f"{reason} That is the room beside others, who went on meanwhile: {shared.words}.",
        )
    if _may_be_theirs(decides, shared, headroom):
        words = f"the line was measured while others used the storage, {shared.words}"
        return (
            None,
            headroom,
            f"It cannot be told: {words}, and without them it may lie high enough. {reason}",
        )
    return (
        carries,
        headroom,
        f"{reason} Others used the storage meanwhile ({shared.words}), too little to explain that.",
    )


def _may_be_theirs(line: Line, shared: Shared, headroom: float | None) -> bool:
    """Whether a free storage might carry the demand."""
    known = shared.others_iops is not None and shared.others_mb_per_s is not None
    if not known or not headroom or not line.line_iops:
        return True
    line_mb_per_s = line.line_iops * line.workload.mean_bytes / 1e6
    taken = max(
        DEARER_MAX * (shared.others_iops or 0.0) / line.line_iops,
        (shared.others_mb_per_s or 0.0) / line_mb_per_s,
    )
    return headroom * (1 + taken) >= 1
