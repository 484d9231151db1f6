"""Ratios of ours to theirs in the same round: the median with its 95 % interval, and whether the aims are met.

The interval is a bootstrap of the rounds: 10,000 resamples, percentile method.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from kit.rounds import Sample, medians

RESAMPLES = 10_000


@dataclass(frozen=True)
class Aim:
    """What a figure must reach, as a ratio of `ours` to theirs; without `others`, the figure itself is held to it. Without
    bounds it is reported and nothing more.

    Of several others the one with the highest median is taken: the best that the other tool can do.
    """

    case: str
    figure: str
    ours: str
    others: tuple[str, ...] = ()
    median_min: float | None = None
    median_max: float | None = None
    low_min: float | None = None
    p95_max: float | None = None
    """Of 95 in 100 rounds, each by itself."""


@dataclass(frozen=True)
class Estimate:
    """A median with its 95 % interval, and what 95 in 100 of the values do not exceed."""

    median: float
    low: float
    high: float
    p95: float


def judge(samples: Sequence[Sample], aims: Sequence[Aim]) -> dict[str, Any]:
    """Every aim with its estimate, and the medians of everything."""
    verdicts = [_verdict(samples, aim) for aim in aims]
    pairs = dict.fromkeys((sample.case, sample.tool) for sample in samples)
    return {
        "met": all(verdict["met"] for verdict in verdicts),
        "aims": verdicts,
        "medians": [{"case": case, "tool": tool, **medians(samples, case, tool)} for case, tool in pairs],
    }


def estimate(values: Sequence[float]) -> Estimate:
    """The median of the values and its bootstrap interval; the same for the same values."""
    rng = random.Random(1)
    resampled = sorted(statistics.median(rng.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return Estimate(
        statistics.median(values),
        resampled[int(RESAMPLES * 0.025)],
        resampled[int(RESAMPLES * 0.975) - 1],
        sorted(values)[math.ceil(0.95 * len(values)) - 1],
    )


def _verdict(samples: Sequence[Sample], aim: Aim) -> dict[str, Any]:
    ours = _by_round(samples, aim, aim.ours)
    best = max(aim.others, key=lambda tool: medians(samples, aim.case, tool)[aim.figure], default=None)
    theirs = {} if best is None else _by_round(samples, aim, best)
    values = [value / theirs.get(number, 1.0) for number, value in ours.items()]
    found = estimate(values)
    return {**asdict(aim), "against": best, "rounds": len(values), **asdict(found), "met": _met(aim, found)}


def _by_round(samples: Sequence[Sample], aim: Aim, tool: str) -> dict[int, float]:
    return {
        sample.round: sample.figures[aim.figure]
        for sample in samples
        if (sample.case, sample.tool) == (aim.case, tool)
    }


def _met(aim: Aim, found: Estimate) -> bool:
    return (
        (aim.median_min is None or found.median >= aim.median_min)
        and (aim.median_max is None or found.median <= aim.median_max)
        and (aim.low_min is None or found.low >= aim.low_min)
        and (aim.p95_max is None or found.p95 <= aim.p95_max)
    )
