"""The best choice of thousands of units: those of much weight by search, all others by the prices of the limits, until both agree.

Cut to pieces, a problem of 10,000 units is solved in a moment: at the right price of each limit every unit has a best option by
itself (Lagrange), and no choice gains more than these options and the limits at their prices. Whole, it would take half a
minute; and where a single unit takes up a large part of a limit, the bound by prices alone is too high to prove anything. So that:

1. The units of most weight, the leaders, are searched as whole units, beside one unknown for what all the others can gain in the
   room that is left. That unknown lies below a plane for each set of prices that was tried, so that the search gives a bound for
   everything (Benders).
2. For the room that it leaves, the right prices of the others are found by cutting planes (Kelley), which gives one more plane.
3. This goes on until the planes say no more than the prices do. The others are then whole but for as many as there are limits; a
   core of those that fall least short, by their weight and in all, is solved exactly, first beside the leaders as they are and
   then together with them.
4. Where that does not close, all is done once more with more leaders: the units next in weight keep the bound too high.

The bound of the relaxation is computed here from the prices alone, so that it holds whatever the solver's rounding was; so are
the planes. The bound of the search is what the solver proves of the leaders beside these planes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from plimsoll.placement import exact
from plimsoll.placement.exact import GAP_AIM, Options
from plimsoll.placement.solver import Enough, Impossible, Problem, infinity, numpy_module, solve

if TYPE_CHECKING:
    import numpy as np

_LEADERS = (40, 200, 400)
"""Units that are searched as whole ones: more of them where the ones before did not close, while they are a small part of all."""
_LEADERS_SHARE = 0.25
_ROUNDS_MAX = 40
_PLANES_MAX = 200
_CORES = (150, 400, 1000)
"""Further units that are made whole beside them: small cores first, as more leaders help more than large cores."""
_NODES_OF_CORE = 500
_NEAR = 3.0
"""Times the aim: so near to the bound other options of the leaders may close what is left."""
_PRICE_MAX = 4.0
"""Of a whole limit, as a multiple of all that can be gained."""


@dataclass(frozen=True)
class Found:
    """A choice, and what none exceeds: as proved, and by prices alone."""

    chosen: np.ndarray
    bound: float
    relaxed: float


@dataclass(frozen=True)
class _Priced:
    """What a block gains at most at some prices, with the sums of gain and weight of the options that are best there."""

    prices: np.ndarray
    value: float
    gain: float
    weight: np.ndarray


class _Block:
    """Some of the units, each with the same number of slots for its options; an empty slot gains nothing in the world."""

    def __init__(self, options: Options, possible: np.ndarray, units: np.ndarray) -> None:
        numpy = numpy_module()
        self.units = units
        first = numpy.searchsorted(options.unit, numpy.arange(len(options.home)))
        count = numpy.bincount(options.unit, minlength=len(options.home))
        self.option = first[units][:, None] + numpy.arange(count.max(initial=0))[None, :]
        """The option in each slot."""
        there = numpy.arange(self.option.shape[1])[None, :] < count[units][:, None]
        self.option = numpy.where(there, self.option, first[units][:, None])
        there &= possible[self.option]
        self.gain = numpy.where(there, options.gain[self.option], -numpy.inf)
        self.weight = options.weights[:, self.option]
        self.is_there = there

    def worth(self, prices: np.ndarray) -> np.ndarray:
        """Gain less the price of what an option takes."""
        return self.gain - numpy_module().tensordot(prices, self.weight, 1)

    def at(self, prices: np.ndarray) -> _Priced:
        """Each unit at its best option for these prices."""
        numpy = numpy_module()
        worth = self.worth(prices)
        rows, slots = numpy.arange(len(self.units)), worth.argmax(axis=1)
        gain, weight = float(self.gain[rows, slots].sum()), self.weight[:, rows, slots].sum(axis=1)
        return _Priced(prices, float(worth[rows, slots].sum()), gain, weight)


def best(options: Options, possible: np.ndarray, known: np.ndarray | None) -> Found:
    """The best choice; `known` is one to begin with. Raises `Impossible`, and what the solver raises."""
    return _Search(options, possible, known).run()


def relaxed(options: Options, possible: np.ndarray) -> float:
    """What no choice exceeds, by prices alone."""
    return _Search(options, possible, None).root.bound


@dataclass(frozen=True)
class _Bound:
    """What a block gains at most in some room, and the prices that say so."""

    bound: float
    prices: np.ndarray


class _Search:
    """One problem with its limits scaled to 1."""

    def __init__(self, options: Options, possible: np.ndarray, known: np.ndarray | None) -> None:
        numpy = numpy_module()
        scale = numpy.where(numpy.abs(options.most) > 0, numpy.abs(options.most), 1.0)
        self.exact = options
        self.options = replace(options, weights=options.weights / scale[:, None], most=options.most / scale)
        self.possible = possible
        self.known = known
        everything = _Block(self.options, possible, numpy.arange(len(options.home)))
        self.total = (
            float(numpy.where(everything.is_there, everything.gain, 0.0).max(axis=1).clip(0.0).sum()) or 1.0
        )
        self.root = self._priced(everything, self.options.most, [], numpy.zeros(len(options.most)))
        self.aim = GAP_AIM * max(abs(self.root.bound), 1e-300)
        self.bound = self.root.bound
        self.heavy = numpy.where(
            everything.is_there, self.options.weights.max(axis=0)[everything.option], 0.0
        ).max(axis=1)
        self._lead_by(_LEADERS[0])

    def _lead_by(self, count: int) -> None:
        """Parts the units into so many leaders, by their weight, and the rest."""
        numpy = numpy_module()
        order = numpy.argsort(-self.heavy, kind="stable")
        self.lead = _Block(self.options, self.possible, numpy.sort(order[:count]))
        self.rest = _Block(self.options, self.possible, numpy.sort(order[count:]))

    def run(self) -> Found:
        """With more and more leaders, until a choice is near enough to the bound."""
        counts = [
            count for count in _LEADERS if count == _LEADERS[0] or count <= _LEADERS_SHARE * len(self.heavy)
        ]
        for stage, count in enumerate(counts, 1):
            self._lead_by(count)
            picked, prices = self._bounded()
            self._fill(picked, prices, _CORES if stage == len(counts) else _CORES[:stage])
            if self._is_closed():
                break
        if self.known is None:
            raise Impossible
        return Found(self.known, max(self.bound, self._gain(self.known)), self.root.bound)

    def _bounded(self) -> tuple[np.ndarray, np.ndarray]:
        """Rounds until the bound says no more than the prices do: the leaders' options, and the prices of what they leave."""
        planes = [self.rest.at(factor * self.root.prices) for factor in (1.0, 0.9, 1.1)]
        points: list[_Priced] = []
        prices = self.root.prices
        picked = self.lead.option[:, 0]
        for _ in range(_ROUNDS_MAX):
            picked, most = self._leaders(planes)
            self.bound = min(self.bound, most)
            room = self.options.most - self.options.weights[:, picked].sum(axis=1)
            rest = self._priced(self.rest, room, points, prices)
            prices = rest.prices
            planes.append(self.rest.at(prices))
            if self.bound - (float(self.options.gain[picked].sum()) + rest.bound) <= self.aim / 5:
                break
        return picked, prices

    def _is_closed(self) -> bool:
        return self.known is not None and self.bound - self._gain(self.known) <= self.aim

    def _gain(self, chosen: np.ndarray) -> float:
        return float(self.options.gain[chosen].sum())

    def _priced(self, block: _Block, room: np.ndarray, points: list[_Priced], prices: np.ndarray) -> _Bound:
        """Prices at which the block gains least with the room at its price: cutting planes, which `points` hold for further
        rooms."""
        numpy = numpy_module()
        found = _Bound(numpy.inf, prices)
        for _ in range(_PLANES_MAX):
            points.append(at := block.at(prices))
            if (bound := at.value + float(prices @ room)) < found.bound:
                found = _Bound(bound, prices)
            before = prices
            prices, least = self._next_prices(points, room)
            if found.bound - least <= 1e-8 * self.total or numpy.allclose(
                prices, before, rtol=1e-12, atol=0.0
            ):
                break
        return found

    def _next_prices(self, points: list[_Priced], room: np.ndarray) -> tuple[np.ndarray, float]:
        """Where the planes of all points leave room for the least bound, and that bound."""
        numpy, limits, count = numpy_module(), len(room), len(points)
        matrix = numpy.array([numpy.append(point.weight, 1.0) for point in points])
        row, column = numpy.indices(matrix.shape)
        solution = solve(
            Problem(
                gain=-numpy.append(room, 1.0),
                low=numpy.append(numpy.zeros(limits), -infinity()),
                high=numpy.append(numpy.full(limits, _PRICE_MAX), infinity()),
                row=row.ravel(),
                column=column.ravel(),
                value=matrix.ravel(),
                row_low=numpy.array([point.gain for point in points]) / self.total,
                row_high=numpy.full(count, infinity()),
            )
        )
        return solution.values[:limits] * self.total, -solution.bound * self.total

    def _leaders(self, planes: list[_Priced]) -> tuple[np.ndarray, float]:
        """The best options of the units of most weight beside what the planes allow all others, and what nothing exceeds."""
        numpy = numpy_module()
        unit, slot = numpy.nonzero(self.lead.is_there)
        count, units = len(unit), len(self.lead.units)
        taken = self.lead.weight[:, unit, slot]
        slopes = numpy.array([plane.prices @ taken for plane in planes]) / self.total
        plane, column = numpy.nonzero(slopes)
        heights = (
            numpy.array([plane.value + float(plane.prices @ self.options.most) for plane in planes])
            / self.total
        )
        every = numpy.arange(len(planes))
        solution = solve(
            Problem(
                gain=numpy.append(self.lead.gain[unit, slot] / self.total, 1.0),
                low=numpy.append(numpy.zeros(count), -infinity()),
                high=numpy.append(numpy.ones(count), infinity()),
                row=numpy.concatenate([unit, units + plane, units + every]),
                column=numpy.concatenate([numpy.arange(count), column, numpy.full(len(planes), count)]),
                value=numpy.concatenate([numpy.ones(count), slopes[plane, column], numpy.ones(len(planes))]),
                row_low=numpy.append(numpy.ones(units), numpy.full(len(planes), -infinity())),
                row_high=numpy.append(numpy.ones(units), heights),
                whole=numpy.append(numpy.ones(count, dtype=bool), False),
            ),
            Enough(gap_s=self.aim / self.total / 10),
        )
        picked = solution.values[:count] > 0.5
        return self.lead.option[unit[picked], slot[picked]], solution.bound * self.total

    def _fill(self, picked: np.ndarray, prices: np.ndarray, sizes: Sequence[int]) -> None:
        """Makes whole what is not of most weight, beside the options that were picked and then beside any of the leaders'; keeps
        the best choice so far."""
        numpy = numpy_module()
        worth = self.rest.worth(prices)
        first = worth.argmax(axis=1)
        rows = numpy.arange(len(first))
        margin = worth[rows, first][:, None] - worth
        margin[rows, first] = numpy.inf
        doubt = margin.min(axis=1, initial=numpy.inf)
        for size in sizes:
            core = self._core(doubt, size)
            reach = numpy.zeros(len(self.options.gain), dtype=bool)
            reach[self.rest.option[rows, first]] = True
            reach[self.rest.option[core][self.rest.is_there[core]]] = True
            reach[picked] = True
            found = self._keep(reach)
            if not self._is_closed() and self.bound - found <= _NEAR * self.aim:
                reach[self.lead.option[self.lead.is_there]] = True
                self._keep(reach)
            if self._is_closed() or len(core) == len(self.rest.units):
                return

    def _core(self, doubt: np.ndarray, size: int) -> np.ndarray:
        """Those that fall least short, by their weight, which fill what is left, and in all, which fill it to the last."""
        numpy = numpy_module()
        by_weight = numpy.argsort(doubt / numpy.maximum(self.heavy[self.rest.units], 1e-300), kind="stable")
        in_all = numpy.argsort(doubt, kind="stable")
        return numpy.unique(numpy.concatenate([by_weight[: size // 2], in_all[: size // 2]]))

    def _keep(self, reach: np.ndarray) -> float:
        """Searches what is within reach, keeps what it finds where that is the best so far, and tells what it gains."""
        enough = Enough(self.aim / 5, self.bound - self.aim / 2, _NODES_OF_CORE)
        try:
            chosen, _ = exact.chosen_of(self.exact, reach, enough)
        except Impossible:
            return -infinity()
        if self.known is None or self._gain(chosen) > self._gain(self.known):
            self.known = chosen
        return self._gain(chosen)
