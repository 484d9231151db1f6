"""Workloads from fio's words: `--rw randread --block 8k --read-share 0.7`."""

from __future__ import annotations

from plimsoll.base.errors import UsageError
from plimsoll.facts import IoClass, Workload
from plimsoll.facts.workload import Op

RW_MODES = {
    "randread": ("random", 1.0),
    "randwrite": ("random", 0.0),
    "randrw": ("random", None),
    "read": ("sequential", 1.0),
    "write": ("sequential", 0.0),
    "rw": ("sequential", None),
}
"""fio's name of the mode → pattern, and share of reads where the mode fixes it."""

_DEFAULT_READ_SHARE = 0.5


def workload(rw: str, block_bytes: int, read_share: float | None = None) -> Workload:
    """A workload of one or two classes. Raises UsageError `rw-unknown` or `read-share-conflict`."""
    if rw not in RW_MODES:
        raise UsageError("rw-unknown", f"no mode is called '{rw}'", f"Known: {', '.join(RW_MODES)}.")
    pattern, fixed = RW_MODES[rw]
    share = _share(rw, fixed, read_share)
    shares: dict[Op, float] = {"read": share, "write": 1 - share}
    classes = tuple(
        IoClass(name=op, op=op, pattern=pattern, block_bytes=block_bytes, weight=weight)
        for op, weight in shares.items()
        if weight > 0
    )
    return Workload(name=rw, classes=classes)


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
