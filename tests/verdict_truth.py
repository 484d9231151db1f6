"""Demands whose verdict is known: each is made for a storage with a law of service, at a stated distance from what it carries.

The truth comes from a queue that is computed here and not by the engine: arrivals are Poisson within each second, one queue feeds
the servers in the order of arrival, and an I/O's latency is its wait (Lindley's recursion; Lindley, The theory of queues with a
single server, 1952) and its service. Over many repetitions of the demand the objective is held against each ten seconds of it.
The largest factor at which it holds in all of them is the demand's true headroom on that storage; a demand of a wanted headroom
is one whose rates are multiplied by the quotient of the two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from hashlib import sha256
from heapq import heapreplace
from typing import Any

import numpy as np

from demand_snapshots import START, database
from plimsoll.demand import intervals
from plimsoll.demand.held_back import held_back, held_back_note
from plimsoll.facts import ClassDemand, Demand, DemandInterval

QUANTILE, LIMIT_US = 0.99, 10_000.0
SLO = "p99=10ms"
WINDOW_S = 10
SECONDS = 60
SIZES = {"small_read": 8192, "large_read": 131_072, "small_write": 8192, "redo_write": 8192}
_REPEATS = 12
_CLOSE = 1.004
_FACTORS = (1e-3, 1e3)

Rates = dict[str, float]
"""I/Os per second by class, of one second."""
Shape = Callable[[int], Rates]


@dataclass(frozen=True)
class Storage:
    """A law of service: a time of `law` with this mean, and more for each MiB; so many at once."""

    name: str
    law: str
    mean_us: float
    us_per_mib: float = 0.0
    servers: int = 1
    cap_iops: float | None = None
    """Of a throttle, which lets I/Os go in lumps and adds no latency of its own: it carries what stays below its rate."""

    @property
    def words(self) -> str:
        """As a simulated target."""
        own = f"law={self.law},mean={self.mean_us:g}us,servers={self.servers}"
        return f"sim:{own},us_per_mib={self.us_per_mib:g}us" if self.us_per_mib else f"sim:{own}"

    def service_us(self, chance: np.random.Generator, size_bytes: np.ndarray) -> np.ndarray:
        """Of each I/O."""
        many = len(size_bytes)
        drawn = chance.exponential(size=many) if self.law == "exponential" else np.ones(many)
        return drawn * self.mean_us + size_bytes / 2**20 * self.us_per_mib

    def latency_us(self, arrive_us: np.ndarray, service_us: np.ndarray) -> np.ndarray:
        """Of each I/O, in the order of arrival."""
        if self.servers == 1:
            begun = np.concatenate(([0.0], np.cumsum(service_us)[:-1])) - arrive_us
            return begun - np.minimum.accumulate(begun) + service_us
        free = [0.0] * self.servers
        ends = np.empty(len(arrive_us))
        for number, (at_us, takes_us) in enumerate(zip(arrive_us.tolist(), service_us.tolist(), strict=True)):
            end_us = max(free[0], at_us) + takes_us
            heapreplace(free, end_us)
            ends[number] = end_us
        return ends - arrive_us


STORAGES = (
    Storage("IOPS cap", "constant", 500.0),
    Storage("bandwidth cap", "constant", 20.0, us_per_mib=20_000.0),
    Storage("IOPS and bandwidth", "constant", 250.0, us_per_mib=8_000.0),
    Storage("latency law", "exponential", 1_000.0, us_per_mib=2_000.0, servers=4),
)


def _steady(second: int) -> Rates:
    return {"small_read": 1000.0 + 7 * (second % 5), "small_write": 200.0, "redo_write": 100.0}


def _scans(second: int) -> Rates:
    """In the second half fewer reads, and a scan."""
    return {"small_read": 1000.0} if second < SECONDS / 2 else {"small_read": 700.0, "large_read": 150.0}


def _bursts(second: int) -> Rates:
    """Three seconds of twenty ask for twice as much."""
    return {"small_read": 1600.0 if second % 20 < 3 else 800.0, "redo_write": 100.0}


def _checkpoints(second: int) -> Rates:
    return {"small_read": 700.0, "small_write": 900.0 if second % 30 >= 18 else 50.0, "redo_write": 150.0}


SHAPES: dict[str, Shape] = {
    "steady": _steady, "scans in the second half": _scans, "bursts": _bursts, "checkpoints": _checkpoints,
    "late counters": _steady, "saturated source": _steady,
}  # fmt: skip
READS_ALONE = "reads alone"
"""For devices that are throttled for reads: a shape that `cases` does not have."""
DISTANCES = (0.5, 1.2, 0.97, 2.0, 0.83, 1.04)
"""True headrooms: far, 15 % and more away on both sides, and too close to call."""
DECIDED_BEYOND = 0.15


@dataclass(frozen=True)
class Case:
    """A demand, the storage that it is held against, and the truth."""

    storage: Storage
    shape: str
    headroom: float

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.shape} on {self.storage.name}, {self.headroom:g}"

    @property
    def carries(self) -> bool:
        """The truth."""
        return self.headroom >= 1

    @property
    def may_say_yes(self) -> bool:
        """A demand that its own storage held back is a lower bound: of it a yes is never said."""
        return self.carries and self.shape != "saturated source"

    @property
    def is_far(self) -> bool:
        """Whether it must be decided: far enough from the line, and no lower bound that would be carried."""
        away = self.headroom <= 1 / (1 + DECIDED_BEYOND) or self.headroom >= 1 + DECIDED_BEYOND
        return away and (self.may_say_yes or not self.carries)

    def demand(self) -> Demand:
        """As it would have been counted."""
        factor = headroom_of(self.storage, self.shape) / self.headroom
        seconds = [
            _interval(second, _times(rates_of(self.shape)(second), factor)) for second in range(SECONDS)
        ]
        counted = _AS_COUNTED.get(self.shape, lambda own: own)(seconds)
        held = held_back(counted)
        return Demand(
            database=database(), resolution_s=1.0, intervals=tuple(counted), peak=intervals.peak(counted),
            mean=intervals.mean(counted), held_back=held, notes=held_back_note(held),
        )  # fmt: skip


def cases() -> Iterator[Case]:
    """Each storage with each shape at two distances; every distance with every shape and storage as often as the others."""
    for number, storage in enumerate(STORAGES):
        for place, shape in enumerate(SHAPES):
            for nth in range(2):
                yield Case(storage, shape, DISTANCES[(number + place + 3 * nth) % len(DISTANCES)])


def headroom_of(storage: Storage, shape: str) -> float:
    """The largest factor at which the shape's rates hold the objective in each ten seconds."""
    if storage.cap_iops is not None:
        return storage.cap_iops / max(sum(rates_of(shape)(second).values()) for second in range(SECONDS))
    kept = KEPT.get((storage.name, rates_of(shape).__name__)) if depends_on() == KEPT_FOR else None
    return kept or computed_headroom(storage, rates_of(shape))


@cache
def depends_on() -> str:
    """A digest of all that a headroom depends on, but for how it is computed."""
    rates = [[shape(second) for second in range(SECONDS)] for shape in SHAPES.values()]
    numbers = (QUANTILE, LIMIT_US, WINDOW_S, SECONDS, SIZES, _REPEATS, _CLOSE, _FACTORS)
    return sha256(repr((STORAGES, rates, numbers)).encode()).hexdigest()[:16]


KEPT_FOR = "c3c4af815e9958a9"
KEPT = {
    ("IOPS cap", "_steady"): 1.3342712880699448,
    ("IOPS cap", "_scans"): 1.759386795227211,
    ("IOPS cap", "_bursts"): 1.0572310800860973,
    ("IOPS cap", "_checkpoints"): 1.0187242412622646,
    ("bandwidth cap", "_steady"): 4.116251984744736,
    ("bandwidth cap", "_scans"): 1.177727787189984,
    ("bandwidth cap", "_bursts"): 3.2287409592760614,
    ("bandwidth cap", "_checkpoints"): 3.1111426309024512,
    ("IOPS and bandwidth", "_steady"): 2.250582418636054,
    ("IOPS and bandwidth", "_scans"): 2.0271447717365225,
    ("IOPS and bandwidth", "_bursts"): 1.759386795227211,
    ("IOPS and bandwidth", "_checkpoints"): 1.6953057962585873,
}
"""Headrooms as `computed_headroom` gives them, each in a second or two, for what `KEPT_FOR` is the digest of."""


def rates_of(shape: str) -> Shape:
    """What the shape asks for in each second, before it is multiplied."""
    return (
        (lambda second: {"small_read": 1000.0 + 7 * (second % 5)}) if shape == READS_ALONE else SHAPES[shape]
    )


@cache
def computed_headroom(storage: Storage, shape: Shape) -> float:
    """By the queue."""
    low, high = _FACTORS
    while high / low > _CLOSE:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if _holds(storage, shape, middle) else (low, middle)
    return (low * high) ** 0.5


def _holds(storage: Storage, shape: Shape, factor: float) -> bool:
    if _overloads(storage, shape, factor):
        return False
    late = np.zeros(SECONDS // WINDOW_S)
    ended = np.zeros(SECONDS // WINDOW_S)
    for repeat in range(_REPEATS):
        chance = np.random.default_rng(repeat)
        arrive_us, size_bytes = _arrivals(chance, shape, factor)
        latency_us = storage.latency_us(arrive_us, storage.service_us(chance, size_bytes))
        window = np.minimum((arrive_us + latency_us) // (WINDOW_S * 1e6), len(ended) - 1).astype(int)
        ended += np.bincount(window, minlength=len(ended))
        late += np.bincount(window[latency_us > LIMIT_US], minlength=len(ended))
    return bool(np.all(late <= (1 - QUANTILE) * ended))


def _overloads(storage: Storage, shape: Shape, factor: float) -> bool:
    """Whether it asks for more than twice what the servers can do: the answer is known, and the queue need not be computed."""
    busy_us = sum(
        factor * rate * (storage.mean_us + SIZES[name] / 2**20 * storage.us_per_mib)
        for second in range(SECONDS)
        for name, rate in shape(second).items()
    )
    return busy_us > 2e6 * storage.servers * SECONDS


def _arrivals(chance: np.random.Generator, shape: Shape, factor: float) -> tuple[np.ndarray, np.ndarray]:
    """Moments in microseconds and sizes, in the order of time."""
    times, sizes = [], []
    for second in range(SECONDS):
        for name, rate in shape(second).items():
            many = chance.poisson(factor * rate)
            times.append(1e6 * (second + chance.random(many)))
            sizes.append(np.full(many, SIZES[name]))
    whole, size_bytes = np.concatenate(times), np.concatenate(sizes)
    order = np.argsort(whole)
    return whole[order], size_bytes[order]


def _times(rates: Rates, factor: float) -> Rates:
    return {name: factor * rate for name, rate in rates.items()}


def _interval(second: int, rates: Rates, latency_us: float = 400.0, **more: Any) -> DemandInterval:
    classes: Any = {
        name: ClassDemand(ops_per_s=rate, bytes_per_s=rate * SIZES[name], latency_us_mean=latency_us, source="counters")
        for name, rate in rates.items()
    }  # fmt: skip
    begin = START + timedelta(seconds=second)
    return DemandInterval(
        begin_time=begin, end_time=begin + timedelta(seconds=1), duration_s=1.0, classes=classes,
        iops=sum(rates.values()), mb_per_s=sum(rate * SIZES[name] for name, rate in rates.items()) / 1e6, **more,
    )  # fmt: skip


def _late(seconds: list[DemandInterval]) -> list[DemandInterval]:
    """Of each four seconds the last shows the work of all: the sessions had not handed in their counters before."""
    counted = []
    for number, interval in enumerate(seconds):
        share = 3.7 if number % 4 == 3 else 0.1
        own = _interval(
            number, {name: share * (one.ops_per_s or 0.0) for name, one in interval.classes.items()}
        )
        late = {"late_s_max": 3.0, "doubt": "counters were handed in late"} if share > 1 else {}
        counted.append(own.model_copy(update=late))
    return counted


def _saturated(seconds: list[DemandInterval]) -> list[DemandInterval]:
    """While the rate stands still the time of an I/O grows sixteenfold: what is in flight doubles, and no more is done."""
    counted = []
    for number, interval in enumerate(seconds):
        rates = {name: one.ops_per_s or 0.0 for name, one in interval.classes.items()}
        counted.append(_interval(number, rates, latency_us=2_000.0 * 16 ** (number / len(seconds))))
    return counted


_AS_COUNTED = {"late counters": _late, "saturated source": _saturated}
