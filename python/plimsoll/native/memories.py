"""How fast memory is: threads in Rust, bound to CPUs, with memory of their own on a node, that start together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from plimsoll import _core


@dataclass(frozen=True)
class Chase:
    """How long a load takes that the next one waits for, and what share of the memory was in huge pages; None: small pages were
    asked for, or the kernel does not tell."""

    latency_ns: float
    huge_share: float | None


@dataclass(frozen=True)
class UnderLoad:
    """What threads moved, in 10^6 bytes per second, at a share of the most that each can; and how long a load then takes."""

    share: float
    mb_per_s: float
    latency_ns: float


def _goes_on() -> bool:
    return False


@dataclass(frozen=True)
class Place:
    """A thread on each CPU. `node`: None is memory wherever the kernel takes it, near to who touches it first. `huge_bytes`: how
    large huge pages are, where they are asked for. Where `is_cut` says so, work ends with InterruptedError, an OSError."""

    cpus: tuple[int, ...]
    node: int | None = None
    huge_bytes: int | None = None
    is_cut: Callable[[], bool] = _goes_on

    @property
    def _told(self) -> tuple[list[int], int | None, int | None]:
        return list(self.cpus), self.node, self.huge_bytes

    def streams(
        self, asked: Sequence[tuple[str, bool]], array_bytes: int, runtime_s: float
    ) -> list[tuple[float, float]]:
        """Of each stream (its kernel, and whether its stores go past the caches) what all threads together move, in 10^6 bytes per
        second: by the median of each thread's passes, and by its best. Raises OSError."""
        threads = _core.memory_streams(list(asked), array_bytes, self._told, runtime_s, self.is_cut)
        return [_rates(thread[at] for thread in threads) for at in range(len(asked))]

    def chase(self, size_bytes: int, runtime_s: float) -> Chase:
        """The mean of all threads. Raises OSError."""
        threads = _core.memory_chase(size_bytes, self._told, runtime_s, self.is_cut)
        elapsed_s = sum(elapsed_s for _, elapsed_s, _ in threads)
        shares = [share for _, _, share in threads if share is not None]
        return Chase(
            latency_ns=1e9 * elapsed_s / sum(steps for steps, _, _ in threads),
            huge_share=sum(shares) / len(shares) if len(shares) == len(threads) else None,
        )

    def under_load(
        self, chain_bytes: int, array_bytes: int, shares: Sequence[float], runtime_s: float
    ) -> list[UnderLoad]:
        """The first CPU follows a chain, all others stream through three arrays of `array_bytes` each, by triad with ordinary
        stores, at each share. Raises OSError."""
        sizes = (chain_bytes, array_bytes)
        found = _core.memory_loaded(sizes, list(shares), self._told, runtime_s, self.is_cut)
        return [UnderLoad(share, per_s / 1e6, 1e9 * load_s) for share, per_s, load_s in found]

    def updates_per_s(self, size_bytes: int, runtime_s: float) -> list[float]:
        """Of each thread. Raises OSError."""
        threads = _core.memory_update(size_bytes, self._told, runtime_s, self.is_cut)
        return [made / elapsed_s for made, elapsed_s in threads]


def _rates(threads: Iterable[tuple[int, float, float]]) -> tuple[float, float]:
    told = list(threads)
    return (
        sum(size / median_s for size, median_s, _ in told) / 1e6,
        sum(size / least_s for size, _, least_s in told) / 1e6,
    )


def has_non_temporal() -> bool:
    """Whether this processor has stores that go past the caches, as far as is known here."""
    return _core.memory_non_temporal()
