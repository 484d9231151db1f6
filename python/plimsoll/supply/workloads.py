"""Workloads from fio's words: `--rw randread --block 8k --read-share 0.7`."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.base.errors import UsageError
from plimsoll.facts import IoClass, Workload
from plimsoll.facts.workload import Op

LOG_WRITE = "log-write"


@dataclass(frozen=True)
class Mode:
    """What a value of --rw means. `read_share` None: the user may choose it."""

    pattern: str
    read_share: float | None
    sync: bool = False
    """Each write is on stable storage before it counts as done."""


RW_MODES = {
    "randread": Mode("random", 1.0),
    "randwrite": Mode("random", 0.0),
    "randrw": Mode("random", None),
    "read": Mode("sequential", 1.0),
    "write": Mode("sequential", 0.0),
    "rw": Mode("sequential", None),
    LOG_WRITE: Mode("log_write", 0.0, sync=True),
}
"""fio's names of the modes; the log writer, which fio has no name for, is ours."""

_DEFAULT_READ_SHARE = 0.5


def workload(rw: str, block_bytes: int, read_share: float | None = None) -> Workload:
    """A workload of one or two classes. Raises UsageError `rw-unknown` or `read-share-conflict`."""
    if rw not in RW_MODES:
        raise UsageError("rw-unknown", f"no mode is called '{rw}'", f"Known: {', '.join(RW_MODES)}.")
    mode = RW_MODES[rw]
    share = _share(rw, mode.read_share, read_share)
    shares: dict[Op, float] = {"read": share, "write": 1 - share}
    classes = tuple(
        IoClass(name=op, op=op, pattern=mode.pattern, block_bytes=block_bytes, weight=weight, sync=mode.sync)
        for op, weight in shares.items()
        if weight > 0
    )
    return Workload(name=rw, classes=classes)


def is_log(mix: Workload) -> bool:
    """Whether all of it is a log writer's: one write after the other, each waited for."""
    return all(io.op == "write" and io.sync and io.pattern == "log_write" for io in mix.classes)


def _share(rw: str, fixed: float | None, asked: float | None) -> float:
    if asked is not None and not 0 <= asked <= 1:
        raise UsageError(
            "read-share-conflict",
            f"a read share of {asked:g} is not between 0 and 1",
            "Write 0.7 for 70 % reads.",
        )
    if fixed is None:
        return _DEFAULT_READ_SHARE if asked is None else asked
    if asked is not None and asked != fixed:
        raise UsageError(
            "read-share-conflict",
            f"--rw {rw} fixes the read share at {fixed:g}, but {asked:g} was asked for",
            "Use --rw randrw or --rw rw for a mix.",
        )
    return fixed
