"""Chooses one option for each unit so that most is gained within all limits: exactly, with a proof of how far from best it can be.

Every limit is a weighted sum of what is taken. A few hundred options are solved as they are (`exact`); of more, `large` takes care.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plimsoll.placement import exact, large
from plimsoll.placement.exact import SLACK, Options
from plimsoll.placement.solver import Impossible, numpy_module

if TYPE_CHECKING:
    import numpy as np

DIRECT_MAX = 600
"""So many options are solved without further ado, in milliseconds."""


@dataclass(frozen=True)
class Best:
    """The best choice that was found: an option for each unit."""

    chosen: np.ndarray
    gain: float
    bound: float
    """No choice gains more."""
    lp_bound: float
    """The same by the relaxation alone, in which units may be cut to pieces."""

    @property
    def gap(self) -> float:
        """How far from best it can be, as a share of the bound; 0 where it is proved best."""
        return max(0.0, self.bound - self.gain) / self.bound if self.bound > 0 else 0.0


def best(options: Options) -> Best:
    """The best choice. Raises `Impossible`, and WorldError `extra-missing` without HiGHS."""
    numpy = numpy_module()
    possible = possible_options(options)
    if not len(options.home):
        return Best(numpy.zeros(0, dtype=int), 0.0, 0.0, 0.0)
    if possible.sum() <= DIRECT_MAX:
        relaxed = exact.relaxed(options, possible)
        chosen, bound = exact.chosen_of(options, possible)
        return _tidy(options, chosen, min(bound, relaxed), relaxed)
    found = large.best(options, possible, greedy(options))
    return _tidy(options, found.chosen, found.bound, found.relaxed)


def lp_bound(options: Options) -> float:
    """What no choice exceeds, by the relaxation. Raises as `best` does."""
    possible = possible_options(options)
    if not len(options.home):
        return 0.0
    return (
        exact.relaxed(options, possible) if possible.sum() <= DIRECT_MAX else large.relaxed(options, possible)
    )


def greedy(options: Options) -> np.ndarray | None:
    """The rule of thumb: from what is there now, moves by gain for each byte, as long as they fit.

    The first row of weights are bytes that move. None where something has to move that has no place.
    """
    numpy = numpy_module()
    chosen = options.home.copy()
    used = options.weights[:, chosen[chosen >= 0]].sum(axis=1)
    most = options.most * (1 + SLACK)
    added = options.gain - numpy.where(options.home >= 0, options.gain[options.home], 0.0)[options.unit]
    forced = options.home[options.unit] < 0
    moved = numpy.maximum(options.weights[0], 1.0)
    order = numpy.lexsort((-added / moved, ~forced))
    for option in order[forced[order] | (added[order] > 0)]:
        unit = options.unit[option]
        if chosen[unit] >= 0 and chosen[unit] != options.home[unit]:
            continue
        before = options.weights[:, chosen[unit]] if chosen[unit] >= 0 else 0.0
        after = used - before + options.weights[:, option]
        if (after <= most).all():
            chosen[unit], used = option, after
    return None if (chosen < 0).any() or (used > most).any() else chosen


def possible_options(options: Options) -> np.ndarray:
    """Options that do not break a limit by themselves, where weights are all counted upwards. Raises `Impossible`."""
    numpy = numpy_module()
    fits = numpy.ones(len(options.gain), dtype=bool)
    for weights, most in zip(options.weights, options.most, strict=True):
        if (weights >= 0).all():
            fits &= weights <= most * (1 + SLACK)
    left = numpy.bincount(options.unit[fits], minlength=len(options.home))
    if (left == 0).any():
        raise Impossible
    return fits


def _tidy(options: Options, chosen: np.ndarray, bound: float, relaxed: float) -> Best:
    """The choice without moves that gain nothing and make no room."""
    stayed = _back_home(options, chosen)
    gain = float(options.gain[stayed].sum())
    return Best(stayed, gain, max(bound, gain), max(relaxed, bound, gain))


def _back_home(options: Options, chosen: np.ndarray) -> np.ndarray:
    numpy = numpy_module()
    stayed = chosen.copy()
    used = options.weights[:, stayed].sum(axis=1)
    away = (options.home >= 0) & (stayed != options.home)
    idle = away & (options.gain[stayed] <= options.gain[options.home])
    for unit in numpy.flatnonzero(idle):
        after = used - options.weights[:, stayed[unit]] + options.weights[:, options.home[unit]]
        if (after <= options.most * (1 + SLACK)).all():
            stayed[unit], used = options.home[unit], after
    return stayed
