"""Which share of a storage's time a load takes, by prices of an I/O and of a byte that are fitted to the lines found on it.

At its line a mix takes all of the storage's time, and at a fraction of it that fraction (the operational law of utilisation;
Denning and Buzen 1978). With several lines the two prices are least squares of the shares, neither below zero; with one, an
interval costs what its I/Os or what its bytes cost by that line, whichever is more. Good enough to find the worst moments of a
demand; what happens in them is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from plimsoll.facts import DemandInterval

_ALIKE = 1e-3
"""Two loads with nearly the same bytes per I/O say nothing of the price of a byte."""


@dataclass(frozen=True)
class AtLine:
    """A load that takes all of the storage's time, or hardly less: I/Os and bytes per second."""

    iops: float
    bytes_per_s: float


@dataclass(frozen=True)
class Price:
    """What an I/O and a byte take, in seconds of all of the storage's time."""

    io_s: float
    byte_s: float


def share_of_time(lines: Sequence[AtLine]) -> Callable[[DemandInterval], float]:
    """A function from an interval to its share, 1 for all of the storage's time. At least one line."""
    prices = prices_of(lines)

    def share(interval: DemandInterval) -> float:
        iops, moved = interval.iops or 0.0, 1e6 * (interval.mb_per_s or 0.0)
        return max(price.io_s * iops + price.byte_s * moved for price in prices)

    return share


def prices_of(lines: Sequence[AtLine]) -> tuple[Price, ...]:
    """Prices of which the highest counts, so that an interval has time enough where it has by each of them."""
    if (fitted := _fitted(lines)) is not None:
        return (fitted,)
    by_ios = (Price(1 / line.iops, 0.0) for line in lines)
    by_bytes = (Price(0.0, 1 / line.bytes_per_s) for line in lines if line.bytes_per_s)
    return tuple(dict.fromkeys((*by_ios, *by_bytes)))


def _fitted(lines: Sequence[AtLine]) -> Price | None:
    """Of an I/O and of a byte; None where the lines are too few or too much alike to tell them apart."""
    xx = sum(line.iops**2 for line in lines)
    yy = sum(line.bytes_per_s**2 for line in lines)
    xy = sum(line.iops * line.bytes_per_s for line in lines)
    x, y = sum(line.iops for line in lines), sum(line.bytes_per_s for line in lines)
    apart = xx * yy - xy * xy
    if len(lines) < 2 or apart <= _ALIKE * xx * yy:
        return None
    per_io, per_byte = (yy * x - xy * y) / apart, (xx * y - xy * x) / apart
    if per_io < 0:
        return Price(0.0, y / yy)
    if per_byte < 0:
        return Price(x / xx, 0.0)
    return Price(per_io, per_byte)
