"""Options with their limits, and the best choice among a few hundred of them: one for each unit, by branch and bound.

Every choice is checked against the limits in exact sums, as a solver's tolerance is a megabyte of a terabyte.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from plimsoll.placement.solver import Enough, Impossible, Problem, infinity, numpy_module, solve

if TYPE_CHECKING:
    import numpy as np

GAP_AIM = 1e-6
"""Of the gain: closer than this nobody can tell two plans apart."""
SLACK = 1e-13
"""Of a limit: what sums of floating-point numbers are off by."""
_TIGHTER = 1e-9


@dataclass(frozen=True)
class Options:
    """What can be chosen. `unit`, `gain` and each row of `weights` are as long as there are options; units are 0, 1, 2 … in order.

    `home` is the option of a unit that changes nothing, -1 where it must change.
    """

    unit: np.ndarray
    gain: np.ndarray
    weights: np.ndarray
    most: np.ndarray
    """What each limit allows."""
    home: np.ndarray


def chosen_of(options: Options, reach: np.ndarray, enough: Enough | None = None) -> tuple[np.ndarray, float]:
    """The best choice among the options within reach, or one that is `enough`, and what none of them exceeds. Raises
    `Impossible`."""
    numpy = numpy_module()
    counts = numpy.bincount(options.unit[reach], minlength=len(options.home))
    fixed = reach & (counts[options.unit] == 1)
    free = reach & ~fixed
    chosen = numpy.full(len(options.home), -1)
    chosen[options.unit[fixed]] = numpy.flatnonzero(fixed)
    left = options.most - options.weights[:, fixed].sum(axis=1)
    gained = float(options.gain[fixed].sum())
    if not free.any():
        if (left < -SLACK * numpy.abs(options.most)).any():
            raise Impossible
        return chosen, gained
    kept = numpy.flatnonzero(free)
    wanted = enough or Enough()
    if wanted.gain_s is not None:
        wanted = replace(wanted, gain_s=wanted.gain_s - gained)
    picked, most = _within(options, kept, left, wanted)
    chosen[options.unit[kept[picked]]] = kept[picked]
    return chosen, gained + most


def _within(options: Options, kept: np.ndarray, left: np.ndarray, enough: Enough) -> tuple[np.ndarray, float]:
    """Solved by branch and bound; where the solver's tolerance broke a limit, again within a little less of it."""
    numpy = numpy_module()
    allowed = SLACK * numpy.abs(options.most)
    shrink = numpy.zeros(len(left))
    for _ in range(3):
        solution = solve(_problem(options, kept, left - shrink, is_whole=True), enough)
        picked = numpy.flatnonzero(solution.values > 0.5)
        over = options.weights[:, kept[picked]].sum(axis=1) - left
        if (over <= allowed).all():
            return picked, solution.bound
        shrink += numpy.where(
            over > allowed, numpy.maximum(2 * over, _TIGHTER * numpy.abs(options.most)), 0.0
        )
    raise Impossible


def _problem(options: Options, kept: np.ndarray, left: np.ndarray, is_whole: bool) -> Problem:
    """One option of each unit, and each limit scaled to 1."""
    numpy = numpy_module()
    count = len(kept)
    units, unit = numpy.unique(options.unit[kept], return_inverse=True)
    weights = options.weights[:, kept]
    size = numpy.abs(weights).max(axis=1, initial=0.0)
    scale = numpy.where(numpy.abs(left) > 0, numpy.abs(left), numpy.where(size > 0, size, 1.0))
    scaled = weights / scale[:, None]
    limit, column = numpy.nonzero(scaled)
    unlimited = numpy.full(len(left), -infinity())
    return Problem(
        gain=options.gain[kept],
        low=numpy.zeros(count),
        high=numpy.ones(count),
        row=numpy.concatenate([unit, len(units) + limit]),
        column=numpy.concatenate([numpy.arange(count), column]),
        value=numpy.concatenate([numpy.ones(count), scaled[limit, column]]),
        row_low=numpy.concatenate([numpy.ones(len(units)), unlimited]),
        row_high=numpy.concatenate([numpy.ones(len(units)), left / scale]),
        whole=numpy.ones(count, dtype=bool) if is_whole else None,
    )


def relaxed(options: Options, possible: np.ndarray) -> float:
    """What no choice exceeds, by the relaxation, in which units may be cut to pieces."""
    numpy = numpy_module()
    return solve(_problem(options, numpy.flatnonzero(possible), options.most, is_whole=False)).bound
