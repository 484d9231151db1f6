"""Hours that are unlike the same hour of other weeks: median and median absolute deviation, when the trend is taken away."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from plimsoll.predict.trend.model import Fit
from plimsoll.predict.trend.robust import MAD_TO_SIGMA, column_medians, median, sigma

WEEKS_MIN = 4
"""Other weeks in which the same hour has to be known."""
DEVIATIONS_MIN = 5.0
"""Standard deviations by the median absolute deviation; at 3 a year of hours would always have some thirty, of mere chance."""
_SUSPECT = 0.5
"""Of that: what is nearer to the median of all weeks than this is looked at no further."""


@dataclass(frozen=True)
class Unlike:
    """Steps `first` to `last` of the grid, all on one side; `worst` is the furthest of them."""

    first: int
    last: int
    worst: int
    expected: float
    """What the worst would have been, by the other weeks."""
    deviations: float
    """How far it is from that, with its sign."""


def anomalies(found: Fit) -> list[Unlike]:
    """In the order of time; neighbours are one."""
    grid = found.grid
    rest = found.rest + found.season.at(grid)
    weeks = grid.by_week(rest)
    everywhere = sigma(found.rest)
    middle = column_medians(weeks)
    spread = np.fmax(MAD_TO_SIGMA * column_medians(np.abs(weeks - middle)), everywhere)
    with np.errstate(invalid="ignore", divide="ignore"):
        rough = np.abs(weeks - middle) / spread
    lead = int(grid.slot_of_week[0])
    scores = np.zeros(len(grid))
    expected = np.zeros(len(grid))
    for week, slot in np.argwhere(rough >= _SUSPECT * DEVIATIONS_MIN):
        others = np.delete(weeks[:, slot], week)
        others = others[np.isfinite(others)]
        if len(others) >= WEEKS_MIN:
            at = int(week) * grid.slots_per_week + int(slot) - lead
            usual, deviation = median(others), max(sigma(others), everywhere)
            scores[at] = (rest[at] - usual) / deviation if deviation > 0 else 0.0
            expected[at] = grid.values[at] - rest[at] + usual
    return list(_runs(scores, expected))


def _runs(scores: np.ndarray, expected: np.ndarray) -> Iterator[Unlike]:
    is_unlike = np.abs(scores) >= DEVIATIONS_MIN
    first = 0
    while first < len(scores):
        if not is_unlike[first]:
            first += 1
            continue
        last = first
        while last + 1 < len(scores) and is_unlike[last + 1] and scores[last + 1] * scores[first] > 0:
            last += 1
        worst = first + int(np.argmax(np.abs(scores[first : last + 1])))
        yield Unlike(first, last, worst, float(expected[worst]), float(scores[worst]))
        first = last + 1
