"""Whether anybody else was at work on the device, by its own counters: then the number is of what was left over for us."""

from __future__ import annotations

from plimsoll.base.limits import DEVICE_BYTES_SHARE_MAX, DEVICE_BYTES_SLACK
from plimsoll.base.units import counted, format_share
from plimsoll.facts import AtDevices, Cell, Check, Target
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
    moved = f"{' and '.join(found.devices)} moved {more / 1e6:,.1f} MB more than the {found.bytes / 1e6:,.1f} MB that we did"
    failed = sum(io.errors * io.block_bytes for io in (*cell.classes, *cell.beside))
    if failed:
        moved += f"; our own {_errors(cell)} that failed asked for {failed / 1e6:,.1f} MB of it at most"
        figures["failed_bytes"] = float(failed)
    verdict, words = _who(cell, target, more, failed)
    if found.others_bytes_per_s is not None:
        figures["others_bytes_per_s"] = found.others_bytes_per_s
    return Check(name=_NAME, passed=verdict, reason=f"{moved}; {words}", figures=figures)


def _errors(cell: Cell) -> str:
    return counted(sum(io.errors for io in (*cell.classes, *cell.beside)), "I/O")


def _who(cell: Cell, target: Target, more: int, failed: int) -> tuple[bool | None, str]:
    """The verdict, and what is known of who moved the rest: the sums before and after a run do not tell when it was moved."""
    found = cell.at_devices
    assert found is not None, "the caller has looked"
    rest = more - failed
    if rest <= max(DEVICE_BYTES_SLACK, DEVICE_BYTES_SHARE_MAX * found.bytes):
        return None, "whether anybody else was at work cannot be told"
    if found.others_bytes_per_s is None:
        return None, "nobody looked who it was"
    seconds = cell.warm_up_s + cell.runtime_s
    beside = rest / seconds if seconds else 0.0
    if found.others_bytes_per_s >= _EXPLAINED_SHARE * beside:
        return False, f"others are at work there, {found.others_bytes_per_s / 1e6:,.1f} MB/s after the run"
    share = format_share(rest / found.bytes) if found.bytes else "all"
    return False, f"{share} is not ours as we count it, and it is quiet now: {_possible(target, found)}"


def _possible(target: Target, found: AtDevices) -> str:
    neighbour = "it may have been a neighbour that has left"
    if target.kind not in ("file", "scratch") or found.of_mounts:
        return neighbour
    own = "a file system that copies or keeps a journal of data, a block smaller than its own"
    return f"{neighbour}, or each of our I/Os makes more than itself ({own})"


CHECK = Passive(
    title="nobody else was at work there",
    help="Holds the bytes that the device moved in the run against ours. Where it moved more, it is looked at for half a "
    "second after the run: others that are still at work are told. Where it is quiet by then, it may have been a "
    "neighbour that has left, or, on a file system, each of our I/Os makes more than itself. Open where as much was "
    "asked for by I/Os of ours that failed. It warns.",
    judge=_judge,
)
