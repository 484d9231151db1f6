"""From one point of the matrix to the groups that the engine runs: small random I/Os beside large ones, measured apart.

The classes are called `small_read`, `small_write`, `large_read` and `large_write`, whichever there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.facts import IoClass, PlanGroup, Target
from plimsoll.facts.workload import Op

LARGE_PATTERNS = ("random", "sequential")


@dataclass(frozen=True)
class PointLoad:
    """What small and large I/Os are like, at whatever depth. `write_share` is of I/Os, of streams where these are sequential."""

    small_bytes: int
    large_bytes: int
    engine: str
    large_pattern: str = "random"
    streams_depth: int = 4
    write_share: float = 0.0

    @property
    def sequential(self) -> bool:
        """Whether the large I/Os come as streams."""
        return self.large_pattern == "sequential"

    def groups(self, small_depth: int, large_depth: int, targets: int = 1) -> list[PlanGroup]:
        """Those of one point on so many targets; with sequential large I/Os `large_depth` is the number of streams.

        Streams that read and streams that write have halves of the volume apart: `divided` makes the targets for it.
        """
        groups = []
        if small_depth:
            groups.append(self._random("small", self.small_bytes, small_depth, targets))
        if large_depth and self.sequential:
            groups.extend(self._streams(large_depth, targets))
        elif large_depth:
            groups.append(self._random("large", self.large_bytes, large_depth, targets))
        return groups

    def outstanding(self, small_depth: int, large_depth: int) -> int:
        """I/Os in flight at a point."""
        return small_depth + large_depth * (self.streams_depth if self.sequential else 1)

    def warming(self, large_depth: int, targets: int) -> PlanGroup:
        """Random large I/Os, as many as the streams of a point keep in flight, that push out what a cache holds."""
        depth = self.outstanding(0, large_depth)
        return self._random("large", self.large_bytes, depth, targets)

    def writing_streams(self, streams: int) -> int:
        """How many of the streams write, to the nearest whole one."""
        return int(streams * self.write_share + 0.5)

    def parts(self, large_depth: int) -> float | None:
        """The reading streams' share of the volume; None where streams do not have to be kept apart."""
        writing = self.writing_streams(large_depth)
        if not self.sequential or writing in (0, large_depth):
            return None
        return 1 - writing / large_depth

    def _random(self, size: str, block_bytes: int, depth: int, targets: int) -> PlanGroup:
        shares: dict[Op, float] = {"read": 1 - self.write_share, "write": self.write_share}
        classes = tuple(
            IoClass(name=f"{size}_{op}", op=op, pattern="random", block_bytes=block_bytes, weight=share)
            for op, share in shares.items()
            if share > 0
        )
        return PlanGroup(
            name=size, classes=classes, engine=self.engine, depth=depth, targets=tuple(range(targets))
        )

    def _streams(self, streams: int, targets: int) -> list[PlanGroup]:
        writing = self.writing_streams(streams)
        jobs: dict[Op, int] = {"read": streams - writing, "write": writing}
        apart = self.parts(streams) is not None
        groups = []
        for op, many in jobs.items():
            if not many:
                continue
            first = targets * (1 + len(groups)) if apart else 0
            io = IoClass(
                name=f"large_{op}", op=op, pattern="sequential", block_bytes=self.large_bytes, weight=1.0
            )
            groups.append(
                PlanGroup(
                    name=f"large {op}",
                    classes=(io,),
                    engine=self.engine,
                    jobs=many,
                    depth=self.streams_depth,
                    targets=tuple(range(first, first + targets)),
                )
            )
        return groups


def divided(targets: Sequence[Target], share: float, unit_bytes: int) -> list[Target]:
    """The targets, then the first `share` of each of them, then the rest of each; cut at whole units."""
    fronts, backs = [], []
    for target in targets:
        units = target.span_bytes // unit_bytes
        front = min(max(1, round(units * share)), max(1, units - 1)) * unit_bytes
        fronts.append(target.model_copy(update={"span_bytes": front}))
        rest = {"offset_bytes": target.offset_bytes + front, "span_bytes": target.span_bytes - front}
        backs.append(target.model_copy(update=rest))
    return [*targets, *fronts, *backs]
