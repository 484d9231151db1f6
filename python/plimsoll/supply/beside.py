"""What may run beside a measurement without counting to it: a backup that reads all, a rebuild that reads and writes all.

A lost path is not among them: half of the paths cannot be taken away by asking for more I/O. It has to be failed by the one
who may, and the line measured before and after.
"""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.base.errors import UsageError
from plimsoll.base.units import parse_bytes
from plimsoll.facts import Arrivals, IoClass, PlanGroup, Workload
from plimsoll.facts.workload import Op

COPY_IO_BYTES = 1 << 20
"""What copying programs read and write at a time."""
_DEPTH = 4
"""A copying program reads a little ahead."""
_DEPTH_AT_RATE = 64
_OPS: dict[str, tuple[Op, ...]] = {"backup": ("read",), "rebuild": ("read", "write")}
_LOST_PATH = (
    "Measure the line, fail one path (multipathd fail path sdX), measure again, and bring it back with"
    " multipathd reinstate path sdX."
)


@dataclass(frozen=True)
class Beside:
    """What runs beside. `bytes_per_s` None: as fast as it can; a rebuild reads so much and writes as much."""

    kind: str
    bytes_per_s: int | None = None

    @property
    def writes(self) -> bool:
        """Whether it would like to write."""
        return "write" in _OPS[self.kind]


def parse_beside(text: str) -> Beside:
    """`backup`, `backup=200m`, `rebuild=100m`. Raises UsageError `beside-unknown`, `size-unreadable`, `not-above-zero`."""
    kind, equals, rate = text.partition("=")
    if kind == "lost-path":
        raise UsageError("beside-unknown", "a lost path cannot be made by measuring", _LOST_PATH)
    if kind not in _OPS:
        known = f"Known: {', '.join(_OPS)}, each with a rate like backup=200m where it is throttled."
        raise UsageError("beside-unknown", f"nothing called '{kind}' can run beside a measurement", known)
    per_s = parse_bytes(rate) if equals else None
    if per_s == 0:
        raise UsageError("not-above-zero", f"'{rate}' is not above zero", "Give more, or leave the rate out.")
    return Beside(kind, per_s)


def client_beside(beside: Beside, engine: str, may_write: bool) -> PlanGroup:
    """The client; one that may not write leaves its writes out."""
    ops: list[Op] = [op for op in _OPS[beside.kind] if may_write or op == "read"]
    classes = tuple(
        IoClass(
            name=f"{beside.kind}_{op}", op=op, pattern="sequential", block_bytes=COPY_IO_BYTES, weight=1.0
        )
        for op in ops
    )
    mix = Workload(name=beside.kind, classes=classes)
    if beside.bytes_per_s is None:
        return PlanGroup.of(mix, engine, depth=_DEPTH)
    per_s = len(ops) * beside.bytes_per_s / COPY_IO_BYTES
    arrivals = Arrivals(kind="uniform", rate_per_s=per_s)
    return PlanGroup.of(mix, engine, depth=_DEPTH_AT_RATE, arrivals=arrivals)
