"""Whether anybody else was at work on the device, by its own counters: then the number is of what was left over for us."""

from __future__ import annotations

from plimsoll.base.limits import DEVICE_BYTES_SHARE_MAX
from plimsoll.base.units import format_share
from plimsoll.facts import Cell, Check, Target
from plimsoll.supply.checks._kind import Passive

_NAME = "others"
_EXPLAINED_SHARE = 0.5
"""What others move after the run explains what was moved beside us if it is at least so much of it."""


def _judge(cell: Cell, target: Target) -> Check | None:
    found = cell.at_devices
    if found is None or not cell.direct or not found.ios:
        return None
    more = found.device_bytes - found.bytes
    figures = {"others_bytes": float(max(0, more))}
    if not found.moved_more:
        reason = (
            f"the device moved no more than {format_share(DEVICE_BYTES_SHARE_MAX)} beside what we asked for"
        )
        return Check(name=_NAME, passed=True, reason=reason, figures=figures)
    share = more / found.bytes if found.bytes else float("inf")
    moved = f"{' and '.join(found.devices)} moved {more / 1e6:,.1f} MB more than the {found.bytes / 1e6:,.1f} MB that we did"
    if found.others_bytes_per_s is None:
        return Check(name=_NAME, passed=None, reason=f"{moved}; nobody looked who it was", figures=figures)
    figures["others_bytes_per_s"] = found.others_bytes_per_s
    seconds = cell.warm_up_s + cell.runtime_s
    beside = more / seconds if seconds else 0.0
    if found.others_bytes_per_s >= _EXPLAINED_SHARE * beside:
        reason = (
            f"{moved}: others are at work there, {found.others_bytes_per_s / 1e6:,.1f} MB/s after the run"
        )
        return Check(name=_NAME, passed=False, reason=reason, figures=figures)
    reason = (
        f"{moved} ({format_share(share)}), and is quiet now: each of our I/Os makes more than itself (a file system that copies or"
        " keeps a journal of data, a block smaller than the device's own)"
    )
    return Check(name=_NAME, passed=False, reason=reason, figures=figures)


CHECK = Passive(
    title="nobody else was at work there",
    help="Holds the bytes that the device moved in the run against ours. Where it moved more, it is looked at for half a second"
    " after the run: either others are at work there, or each of our I/Os makes more than itself. It warns.",
    judge=_judge,
)
