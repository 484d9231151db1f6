"""How much of what some databases ask for together others ask for at the least: of each class of I/O, at any time.

Where a set was refused, though no more than a share of its load is carried, each set that asks for more than that share of it is
too much as well: also one of databases that are nearly the same, of which no two sets ask for exactly as much.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from plimsoll.demand.together import CLASS_FIGURES, LEAST_S, Series, Together
from plimsoll.placement.solver import numpy_module

if TYPE_CHECKING:
    import numpy as np

Chosen = frozenset[int]


@dataclass(frozen=True)
class _Asking:
    """What one database asks for: `rates` by class and figure, an interval each, NaN where it is not known."""

    rates: dict[tuple[str, str], np.ndarray]
    at: np.ndarray
    """In which interval each moment lies; -1: in none that is known."""


Sums = dict[tuple[str, str], "np.ndarray"]


@dataclass
class AtLeast:
    """Answers for databases by their numbers, each once."""

    together: Together
    _known: dict[tuple[Chosen, Chosen], float] = field(default_factory=dict[tuple[Chosen, Chosen], float])
    _peaks: dict[Chosen, int] = field(default_factory=dict[Chosen, int])

    def asks_for(self, chosen: Chosen, share: float, of: Chosen) -> bool:
        """Whether the chosen ones ask for that share, 1 for all, of what the others ask for, whenever these are known."""
        if of <= chosen:
            return True
        if (found := self._known.get((chosen, of))) is None:
            # One moment says no of most, and is looked at much sooner than all.
            if self._share(chosen, of, numpy_module().array([self._peak(of)])) < share:
                return False
            found = self._known[chosen, of] = self._share(
                chosen, of, numpy_module().arange(len(self._middles))
            )
        return found >= share

    def _share(self, chosen: Chosen, of: Chosen, moments: np.ndarray) -> float:
        """The largest such share, in these moments; 0 where that is not known of the chosen ones."""
        numpy = numpy_module()
        asked, known = self._sums(of, moments)
        own, own_known = self._sums(chosen, moments)
        if not known.any() or not own_known[known].all():
            return 0.0
        least = numpy.inf
        for name, rates in asked.items():
            wanted = rates[known]
            found = own[name][known] if name in own else numpy.zeros_like(wanted)
            unknown = numpy.isnan(wanted)
            if (numpy.isnan(found) != unknown).any():
                return 0.0
            busy = ~unknown & (wanted > 0)
            least = min(least, (found[busy] / wanted[busy]).min(initial=numpy.inf))
        return float(least)

    def _peak(self, of: Chosen) -> int:
        """A moment in which they ask for much."""
        if of not in self._peaks:
            numpy = numpy_module()
            asked, known = self._sums(of, numpy.arange(len(self._middles)))
            most = sum((numpy.nan_to_num(rates) for rates in asked.values()), numpy.zeros(len(known)))
            self._peaks[of] = int(numpy.where(known, most, -1.0).argmax())
        return self._peaks[of]

    def _sums(self, chosen: Chosen, moments: np.ndarray) -> tuple[Sums, np.ndarray]:
        """By class and figure what these ask for in each of the moments, and whether all of them are known in it."""
        numpy = numpy_module()
        sums: Sums = {}
        known = numpy.ones(len(moments), dtype=bool)
        for one in (self._asking[number] for number in sorted(chosen)):
            at = one.at[moments]
            known &= at >= 0
            for name, rates in one.rates.items():
                sums[name] = sums[name] + rates[at] if name in sums else rates[at]
        return sums, known

    @cached_property
    def _middles(self) -> np.ndarray:
        """Of the spans between two boundaries of any of them."""
        numpy = numpy_module()
        edges = numpy.unique([*chain.from_iterable(_edges(one) for one in self.together.series)])
        lasting = edges[1:] - edges[:-1] >= LEAST_S
        return ((edges[1:] + edges[:-1]) / 2)[lasting]

    @cached_property
    def _asking(self) -> list[_Asking]:
        return [_asking(one, self._middles) for one in self.together.series]


def _edges(series: Series) -> Iterable[float]:
    return (moment.timestamp() for moment in (*series.begins, *series.ends))


def _asking(series: Series, middles: np.ndarray) -> _Asking:
    numpy = numpy_module()
    begins, ends = (
        numpy.array([one.timestamp() for one in moments]) for moments in (series.begins, series.ends)
    )
    at = numpy.searchsorted(begins, middles, side="right") - 1
    gap = numpy.array([one.gap is not None for one in series.found])
    at[(at < 0) | (middles >= ends[at]) | gap[at]] = -1
    names = {(name, figure) for one in series.found for name in one.classes for figure in CLASS_FIGURES}
    rates = {
        (name, figure): numpy.array(
            [
                getattr(one.classes[name], figure) if name in one.classes else 0.0
                for one in series.found
            ],
            dtype=float,
        )
        for name, figure in names
    }  # fmt: skip
    return _Asking(rates, at)
