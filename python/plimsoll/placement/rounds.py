"""Chooses, until the loads of the plan are those that its latencies were taken at.

A tier that takes on objects gets slower, and one that they leave faster. Latencies at the loads of today give a plan, the plan
other loads,
these other latencies and perhaps another plan. Each object is charged by how much it slows down those that it would lie
beside, without
which everybody would crowd onto the fastest tier. Each plan is worth what it gains at its own loads, and the best one so far
is kept: rounds
that go in circles do no harm. From the third on, loads go half the way only.

Where latencies do not depend on load one round is exact, and the bound is that of the optimiser. Where they do, the bound
takes each
object's latency at the least load under which it could lie there: nothing gains more, and the gap that is left is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from plimsoll.facts import Tier
from plimsoll.placement import curve, optimise
from plimsoll.placement import tiers as tier_numbers
from plimsoll.placement.choices import Layout, Matrix, Wishes, matrix_of
from plimsoll.placement.gain import (
    Interval,
    Latencies,
    latencies_at,
    least_latencies,
    loads,
    slopes_at,
)

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")
_ROUNDS_MAX = 12
_DAMPED_FROM = 3
_LAYOUTS_MAX = 40


@dataclass(frozen=True)
class Settled:
    """The best plan of all rounds."""

    places: tuple[int | None, ...]
    """The tier of each object."""
    gains: tuple[tuple[float, ...], ...]
    """Seconds of each object in each interval, at the plan's own loads."""
    gain_s: float
    """Mean over the intervals."""
    bound_s: float
    lp_bound_s: float
    greedy_s: float
    rounds: int
    settled: bool
    matrix: Matrix
    """The choices at the loads of the plan without a budget, for whoever asks what each budget would bring."""
    worth: Callable[[np.ndarray], float] | None
    """What a choice gains at its own loads; None where that is the sum of its options' gains."""
    offers: tuple[tuple[float, ...], ...]
    """What each object would gain on each tier then, mean over the intervals; empty for what stays anyway."""
    seconds_now: tuple[tuple[float, ...], ...]
    """What each object costs today in each interval."""
    latencies: tuple[tuple[tuple[Latencies, ...], ...], ...]
    """Of each tier in each interval: today, and at the loads of the plan."""
    loads: tuple[tuple[tuple[float, ...], ...], ...]
    """The same, I/Os per second."""


def settle(layout: Layout, wishes: Wishes, intervals: Sequence[Interval]) -> Settled:
    """The plan. Raises `Impossible`, and what the optimiser raises."""
    search = _Search(layout, wishes, intervals)
    return search.run() if search.depends_on_load else search.once()


def gains_of(
    layout: Layout, intervals: Sequence[Interval], places: Sequence[int | None]
) -> list[list[float]]:
    """What each object gains in each interval with every object on its place, at the loads that this makes."""
    return _Search(layout, Wishes(), intervals).gains_at(places)


class _Search:
    """The rounds of one plan; loads and latencies are lists with a row for each interval."""

    def __init__(self, layout: Layout, wishes: Wishes, intervals: Sequence[Interval]) -> None:
        self.layout, self.wishes, self.intervals = layout, wishes, intervals
        self.now = [self._at(self._loads(layout.homes, one)) for one in intervals]
        self.seconds_now = [
            [self._seconds(one, index, home, at, True) for index, home in enumerate(layout.homes)]
            for one, at in zip(intervals, self.now, strict=True)
        ]
        self.gains: list[list[float]] = []
        self.depends_on_load = any(map(tier_numbers.depends_on_load, layout.tiers))
        self.free = {member for unit in layout.units for member in unit.members}
        self.per_s = [_per_s(one) for one in intervals]

    def once(self) -> Settled:
        """Latencies do not depend on load, so that there is nothing to settle."""
        matrix, found = self._best(self.now)
        places = self._places(matrix, found)
        return self._settled(places, found.bound, found.lp_bound, self._greedy(matrix), 1, True, matrix)

    def run(self) -> Settled:
        """Rounds until a plan comes again."""
        loads_now = [self._loads(self.layout.homes, one) for one in self.intervals]
        best: tuple[float, list[int | None]] | None = None
        before: list[int | None] | None = None
        settled, number = False, 0
        for number in range(1, _ROUNDS_MAX + 1):
            at = [self._at(row) for row in loads_now]
            matrix, found = self._best(at, self._crowding(loads_now, before))
            places = self._places(matrix, found)
            gained = self.gain_of(places)
            if best is None or gained > best[0]:
                best = (gained, places)
            if places == before:
                settled = True
                break
            before = places
            loads_now = self._next(loads_now, places, number)
        assert best is not None, "there is at least one round"
        best = max((best, *self._along_the_curve(self.now)), key=lambda one: one[0])
        at = [self._at(self._loads(best[1], one)) for one in self.intervals]
        own, _ = self._best(at)
        bound = max(self._bound(), best[0])
        return self._settled(best[1], bound, bound, self._greedy(own), number, settled, own)

    def _along_the_curve(self, at: Sequence[Sequence[Latencies]]) -> Iterator[tuple[float, list[int | None]]]:
        """Layouts from today's on with more and more moved, most gain per byte first: one of them stops where it gets crowded."""
        options = (matrix := self._best(at)[0]).options
        if (options.home < 0).any():
            return
        every = 1 + len(options.home) // _LAYOUTS_MAX
        for index, (_, chosen) in enumerate(curve.path(options, None)):
            if index % every == 0:
                places = self.layout.places(matrix.tiers(chosen))
                yield self.gain_of(places), places

    def _next(
        self, loads_now: list[list[float]], places: Sequence[int | None], number: int
    ) -> list[list[float]]:
        share = 0.5 if number >= _DAMPED_FROM else 1.0
        return [
            [old + share * (new - old) for old, new in zip(row, self._loads(places, one), strict=True)]
            for row, one in zip(loads_now, self.intervals, strict=True)
        ]

    def _loads(self, places: Sequence[int | None], one: Interval) -> list[float]:
        return loads(one.costs, places, len(self.layout.tiers), one.inventory.interval_s)

    def _at(self, row: Sequence[float]) -> list[Latencies]:
        return [latencies_at(tier, load) for tier, load in zip(self.layout.tiers, row, strict=True)]

    def _seconds(
        self, one: Interval, index: int, place: int | None, at: Sequence[Latencies], is_home: bool
    ) -> float:
        if place is None:
            return 0.0
        return one.scale * one.costs[index].seconds(self.layout.tiers[place], at[place], is_home)

    def _table(
        self, seconds: Callable[[int, int, int], float], extra: Callable[[int, int], float] | None = None
    ) -> list[list[float]]:
        """What each object gains on each tier where it costs `seconds(interval, object, tier)`; empty for what stays anyway."""
        count = len(self.intervals)
        return [
            [
                sum(self.seconds_now[row][index] - seconds(row, index, tier) for row in range(count)) / count
                - (extra(index, tier) if extra is not None else 0.0)
                for tier in range(len(self.layout.tiers))
            ]
            if index in self.free
            else []
            for index in range(len(self.layout.objects))
        ]

    def _matrix(self, gains: Sequence[Sequence[float]], wishes: Wishes | None = None) -> Matrix:
        count = len(self.intervals)
        mean_now = [
            sum(row[index] for row in self.seconds_now) / count for index in range(len(self.layout.objects))
        ]
        return matrix_of(self.layout, wishes or self.wishes, gains, mean_now, self.per_s)

    def _best(
        self, at: Sequence[Sequence[Latencies]], extra: Callable[[int, int], float] | None = None
    ) -> tuple[Matrix, optimise.Best]:
        def seconds(row: int, index: int, tier: int) -> float:
            is_home = self.layout.homes[index] == tier
            return self._seconds(self.intervals[row], index, tier, at[row], is_home)

        self.gains = self._table(seconds, extra)
        matrix = self._matrix(self.gains)
        return matrix, optimise.best(matrix.options)

    def _bound(self) -> float:
        """What nothing gains more than: each object at the least load under which it could lie on a tier, with no move too
        small."""
        seconds = self._least()
        any_gain = replace(self.wishes, gain_s_min=0.0, hysteresis=0.0)
        chosen = optimise.lp_bound(self._matrix(self._table(seconds), any_gain).options)
        stay = [
            (index, home)
            for index, home in enumerate(self.layout.homes)
            if index not in self.free and home is not None
        ]
        relieved = sum(
            self.seconds_now[row][index] - seconds(row, index, home)
            for row in range(len(self.intervals))
            for index, home in stay
        )
        return chosen + relieved / len(self.intervals)

    def _least(self) -> Callable[[int, int, int], float]:
        """What an object costs beside what cannot leave a tier, and alone with it."""
        stays = [None if index in self.free else home for index, home in enumerate(self.layout.homes)]
        fixed = [self._loads(stays, one) for one in self.intervals]

        def seconds(row: int, index: int, tier: int) -> float:
            one = self.intervals[row]
            own = self.per_s[row][index] if index in self.free else 0.0
            at = least_latencies(self.layout.tiers[tier], fixed[row][tier] + own)
            is_home = self.layout.homes[index] == tier
            return one.scale * one.costs[index].seconds(self.layout.tiers[tier], at, is_home)

        return seconds

    def _crowding(
        self, rows: Sequence[Sequence[float]], places: Sequence[int | None] | None
    ) -> Callable[[int, int], float]:
        """By how much an object's I/Os slow down those that lie on a tier, in seconds, mean over the intervals."""
        on = places or self.layout.homes
        per_io = [self._slower_per_io(one, row, on) for one, row in zip(self.intervals, rows, strict=True)]

        def extra(index: int, tier: int) -> float:
            charged = (own[index] * slower[tier] for own, slower in zip(self.per_s, per_io, strict=True))
            return sum(charged) / len(self.intervals)

        return extra

    def _slower_per_io(self, one: Interval, row: Sequence[float], on: Sequence[int | None]) -> list[float]:
        """Seconds that a further I/O per second on each tier costs what lies there."""
        slopes = [slopes_at(tier, load) for tier, load in zip(self.layout.tiers, row, strict=True)]
        bare = [_bare(tier) for tier in self.layout.tiers]
        found = [0.0] * len(self.layout.tiers)
        for index, place in enumerate(on):
            if place is not None:
                found[place] += one.scale * one.costs[index].seconds(bare[place], slopes[place], False)
        return found

    def _places(self, matrix: Matrix, found: optimise.Best) -> list[int | None]:
        return self.layout.places(matrix.tiers(found.chosen))

    def gain_of(self, places: Sequence[int | None]) -> float:
        return sum(sum(row) for row in self.gains_at(places)) / len(self.intervals)

    def gains_at(self, places: Sequence[int | None]) -> list[list[float]]:
        """Of each object in each interval, at the loads that the places make."""
        found = []
        for one, now in zip(self.intervals, self.seconds_now, strict=True):
            at = self._at(self._loads(places, one))
            found.append(
                [
                    now[index] - self._seconds(one, index, place, at, self.layout.homes[index] == place)
                    for index, place in enumerate(places)
                ]
            )
        return found

    def _worth_of(self, matrix: Matrix) -> Callable[[np.ndarray], float]:
        return lambda chosen: self.gain_of(self.layout.places(matrix.tiers(chosen)))

    def _greedy(self, matrix: Matrix) -> float:
        chosen = optimise.greedy(matrix.options)
        return 0.0 if chosen is None else self.gain_of(self.layout.places(matrix.tiers(chosen)))

    def _unbudgeted(self, matrix: Matrix) -> Matrix:
        """The choices where any number of bytes may move, for any money."""
        if self.wishes.budget_bytes is None and self.wishes.budget_per_month is None:
            return matrix
        return self._matrix(self.gains, replace(self.wishes, budget_bytes=None, budget_per_month=None))

    def _settled(
        self,
        places: Sequence[int | None],
        bound: float,
        relaxed: float,
        greedy_s: float,
        number: int,
        settled: bool,
        matrix: Matrix,
    ) -> Settled:
        gains = self.gains_at(places)
        gained = sum(map(sum, gains)) / len(gains)
        unbudgeted = self._unbudgeted(matrix)
        now, then = ([self._loads(on, one) for one in self.intervals] for on in (self.layout.homes, places))
        return Settled(
            places=tuple(places),
            gains=_tuples(gains),
            gain_s=gained,
            bound_s=max(bound, gained),
            lp_bound_s=max(relaxed, gained),
            greedy_s=greedy_s,
            rounds=number,
            settled=settled,
            matrix=unbudgeted,
            worth=self._worth_of(unbudgeted) if self.depends_on_load else None,
            offers=_tuples(self.gains),
            seconds_now=_tuples(self.seconds_now),
            latencies=(_tuples(self.now), _tuples([self._at(row) for row in then])),
            loads=(_tuples(now), _tuples(then)),
        )


def _tuples(rows: Iterable[Iterable[T]]) -> tuple[tuple[T, ...], ...]:
    return tuple(tuple(row) for row in rows)


def _bare(tier: Tier) -> Tier:
    """The tier without what bytes cost there: that does not rise with load."""
    return tier.but(large_read_mb_per_s=None)


def _per_s(one: Interval) -> tuple[float, ...]:
    """I/Os per second of each object; 0 where the length of the interval is not known, and no tier asks for it."""
    interval_s = one.inventory.interval_s
    return tuple(cost.ios / interval_s if interval_s else 0.0 for cost in one.costs)
