"""How fast memory is: threads in Rust, bound to CPUs, with memory of their own on a node, that start together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from plimsoll import _core


@dataclass(frozen=True)
class Place:
    """A thread on each CPU. None: memory wherever the kernel takes it, near to who touches it first."""

    cpus: tuple[int, ...]
    node: int | None = None
    is_huge: bool = False

    @property
    def _told(self) -> tuple[list[int], int | None, bool]:
        return list(self.cpus), self.node, self.is_huge

    def streams(
        self, asked: Sequence[tuple[str, bool]], array_bytes: int, runtime_s: float
    ) -> list[tuple[float, float]]:
        """Of each stream (its kernel, and whether its stores go past the caches) what all threads together move, in 10^6 bytes per
        second: by the median of each thread's passes, and by its best. Raises OSError."""
        threads = _core.memory_streams(list(asked), array_bytes, self._told, runtime_s)
        return [_rates(thread[at] for thread in threads) for at in range(len(asked))]

    def chase_ns(self, size_bytes: int, runtime_s: float) -> float:
        """How long a load takes that the next one waits for, the mean of all threads. Raises OSError."""
        threads = _core.memory_chase(size_bytes, self._told, runtime_s)
        return 1e9 * sum(elapsed_s for _, elapsed_s in threads) / sum(steps for steps, _ in threads)

    def updates_per_s(self, size_bytes: int, runtime_s: float) -> list[float]:
        """Of each thread. Raises OSError."""
        return [
            made / elapsed_s for made, elapsed_s in _core.memory_update(size_bytes, self._told, runtime_s)
        ]


def _rates(threads: Iterable[tuple[int, list[float]]]) -> tuple[float, float]:
    told = list(threads)
    return (
        sum(size / median(passes_s) for size, passes_s in told) / 1e6,
        sum(size / min(passes_s) for size, passes_s in told) / 1e6,
    )


def has_non_temporal() -> bool:
    """Whether this processor has stores that go past the caches, as far as is known here."""
    return _core.memory_non_temporal()
