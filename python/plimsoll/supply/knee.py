"""The knee of the small I/Os, and how surely it is known.

The knee is where the power, rate ÷ mean latency, is highest (L. Kleinrock, "Power and deterministic rules of thumb for
probabilistic problems in computer communications", ICC 1979). Up to there a deeper queue wins more rate than it costs in latency,
beyond it loses more. Unlike definitions by curvature it does not depend on how far the curve was followed, so that fixed
and adaptive points can be compared.

Around its highest the power is often flat, and which load measured once happens to have the highest is chance. Slices of one
measurement do not show how much: on a shared machine two measurements of one load differ by three to five times what their
slices say. So the contenders are measured again, in turn (A B C, A B C, …), and the range of the knee is all loads whose
power cannot be told from the highest: the rule of S. S. Gupta ("On some multiple decision (selection and ranking) rules",
Technometrics 7, 1965), which holds the best one with a stated probability, here with Bonferroni's share for each comparison.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import fmean

from plimsoll.base.units import format_rate
from plimsoll.facts import Calibration, Knee, Point
from plimsoll.native.statistics import student_quantile
from plimsoll.supply.calibration import Course, Ended, is_sound

TURNS, _TURNS_OF_ONE = 7, 5
"""How often contenders are measured again at most, and how often where but one is left."""
_CONTENDERS_MIN, _CONTENDERS_MAX = 2, 10
"""Of one load alone the noise would be known from too few measurements."""
_TOLD_FACTOR_MAX = 100.0
"""A range whose ends are further apart says no more than that nothing is known."""
_CONTENDS = 0.6
"""A load that had less of the highest power when it was measured first is no contender; it is in the range where the noise is such
that one measurement cannot tell."""
_MISSES_LOAD, _MISSES_RATE = 0.04, 0.01
"""How often the right load may be left out, and its rate lie beyond what was measured: 1 in 20 together."""
_LOOK_SHARE = 1 / 5
"""Of the full time of a point, for one that shows the way or is one of several turns."""
_LOOK_S_MIN = 1.0
"""And no shorter: throttled storage hands out its rate in slices of a tenth of a second, disks answer a hundred times in one."""
_LEVELS_MIN = 3
_TURNS_TO_TELL = 2
"""Before one differs from another."""


def look_s(full_s: float) -> float:
    """How long a look at a load takes."""
    return min(full_s, max(_LOOK_S_MIN, _LOOK_SHARE * full_s))


def measure_in_turns(
    course: Course, full_s: float, on_turn: Callable[[int], None] = lambda turn: None
) -> None:
    """Measures the loads that may be the knee again in turn, as far as it gets, and those no more that turn out not to be it.

    Nothing where no load can be the knee. `on_turn` is told before each turn, counted from 1.
    """
    row = small_row(course.points)
    if not _bends(row, max(row, key=power, default=None)):
        return
    try:
        for turn in range(TURNS):
            rivals = _contenders(row) if turn < _TURNS_TO_TELL else _left(_levels(row, course.turns))
            if len(rivals) == 1 and turn >= _TURNS_OF_ONE:
                return
            on_turn(turn + 1)
            for point in rivals:
                course.again(point.small_depth, point.large_depth, look_s(full_s))
    except Ended:
        return


def _contenders(row: Sequence[Point]) -> list[Point]:
    by_power = sorted(row, key=power, reverse=True)
    least = _CONTENDS * max(map(power, row), default=0.0)
    many = sum(power(point) >= least for point in row)
    many = min(max(many, _CONTENDERS_MIN), _CONTENDERS_MAX)
    return sorted(by_power[:many], key=lambda point: point.small_depth)


def _left(levels: Sequence[_Level]) -> list[Point]:
    """Loads whose power cannot be told from the highest so far: contenders, and others that one measurement could not tell.

    Of more than can be measured, some from the lightest to the heaviest: these two bound the range.
    """
    again = [level for level in levels if level.turns]
    if not again:
        return []
    noise = _Noise.of(again)
    best = max(again, key=lambda level: level.log_power)
    alike = [level.point for level in levels if not noise.is_told(level, best)]
    if len(alike) <= _CONTENDERS_MAX:
        return alike
    each = (len(alike) - 1) / (_CONTENDERS_MAX - 1)
    return [alike[round(number * each)] for number in range(_CONTENDERS_MAX)]


def knee_of(
    points: Sequence[Point], turns: Mapping[tuple[int, int], Sequence[Point]] | None = None
) -> Knee | None:
    """The knee of the small I/Os in the row with the lightest large load; `turns` are further measurements of its loads.

    None when fewer than three loads were measured there, or when the power still rose at the last of them: then the curve
    never bent. Without several turns nobody can tell how surely it is known: it has no range.
    """
    row = small_row(points)
    levels = _levels(row, turns or {})
    again = [level for level in levels if level.turns]
    best = max(again or levels, key=lambda level: level.log_power, default=None)
    if best is None or not _bends(row, best.point):
        return None
    latency_us = exp(best.log_rate - best.log_power)
    knee = Knee(small_depth=best.depth, iops=exp(best.log_rate), latency_us_mean=latency_us)
    return knee.model_copy(update=_ranges(levels, best, _Noise.of(again))) if again else knee


def _levels(row: Sequence[Point], turns: Mapping[tuple[int, int], Sequence[Point]]) -> list[_Level]:
    return [_Level.of(point, turns.get((point.small_depth, point.large_depth), ())) for point in row]


def _bends(row: Sequence[Point], best: Point | None) -> bool:
    return len(row) >= _LEVELS_MIN and best is not row[-1]


@dataclass(frozen=True)
class _Level:
    """One load of the row: means over its turns, or of its only measurement, which chance may have chosen, where it had none."""

    point: Point
    turns: int
    """In which it was measured again; 0 where that was too seldom to tell anything."""
    log_rates: tuple[float, ...]
    log_powers: tuple[float, ...]
    ends: float
    """What share of a measurement's I/Os were in flight at its ends and count or not."""

    @classmethod
    def of(cls, point: Point, turns: Sequence[Point]) -> _Level:
        sound = [turn for turn in turns if is_sound(turn) and power(turn) > 0]
        again = len(sound) >= _TURNS_TO_TELL
        used = sound if again else [point]
        ios = [one.cell.ios for one in used if one.cell is not None]
        return cls(
            point,
            len(sound) if again else 0,
            tuple(log(one.small_iops or 0.0) for one in used),
            tuple(log(power(one)) for one in used),
            point.small_depth / max(1, min(ios)) if ios else 0.0,
        )

    @property
    def depth(self) -> int:
        return self.point.small_depth

    @property
    def measured(self) -> int:
        """How many measurements the means are of."""
        return len(self.log_rates)

    @property
    def log_rate(self) -> float:
        return fmean(self.log_rates)

    @property
    def log_power(self) -> float:
        return fmean(self.log_powers)


@dataclass(frozen=True)
class _Noise:
    """By how much measurements of one load differ, as standard deviations of logarithms over all loads together."""

    rate: float
    power: float
    freedom: int
    rivals: int
    """How many loads were held against the best."""

    @classmethod
    def of(cls, levels: Sequence[_Level]) -> _Noise:
        freedom = sum(level.turns - 1 for level in levels)
        rates = sum(_squares(level.log_rates) for level in levels)
        powers = sum(_squares(level.log_powers) for level in levels)
        return cls(sqrt(rates / freedom), sqrt(powers / freedom), freedom, max(1, len(levels) - 1))

    def is_told(self, level: _Level, best: _Level) -> bool:
        """Whether the power at a load is lower than at the best by more than chance makes it, or than I/Os at the ends do."""
        error = self.power * sqrt(1 / level.measured + 1 / best.measured)
        chance = student_quantile(1 - _MISSES_LOAD / self.rivals, self.freedom) * error
        return best.log_power - level.log_power > max(chance, 2 * (level.ends + best.ends))

    def rates(self, level: _Level) -> tuple[float, float]:
        """Between which rates that of a load lies."""
        half = student_quantile(1 - _MISSES_RATE / 2, self.freedom) * self.rate / sqrt(level.measured)
        half = max(half, level.ends)
        return exp(level.log_rate - half), exp(level.log_rate + half)


def _squares(values: Sequence[float]) -> float:
    mean = fmean(values)
    return sum((value - mean) ** 2 for value in values)


def _ranges(levels: Sequence[_Level], best: _Level, noise: _Noise) -> dict[str, tuple[float, float]]:
    """Loads of which any may be the knee, those among them that were not tried, and between which rates theirs lie."""
    alike = [at for at, level in enumerate(levels) if not noise.is_told(level, best)]
    first, last = alike[0], alike[-1]
    bounds = [levels[at] for at in alike if levels[at].turns or at in (first, last)]
    rates = [rate for level in bounds for rate in noise.rates(level)]
    low, high = levels[first].depth, levels[last].depth
    if first > 0 and low - levels[first - 1].depth > 1:
        low = levels[first - 1].depth + 1
        rates.append(exp(levels[first - 1].log_rate))
    if last + 1 < len(levels) and levels[last + 1].depth - high > 1:
        high = levels[last + 1].depth - 1
        rates.append(exp(levels[last + 1].log_rate))
    return {"small_depth_range": (low, high), "iops_range": (min(rates), max(rates))}


def range_in_words(found: Calibration) -> str:
    """How surely the knee is known, as a sentence; empty where there is none, or all measurements were alike."""
    knee = found.knee
    if knee is None:
        return ""
    if knee.iops_range is None:
        return "Each load was measured once: how far off that may be is unknown."
    if knee.iops_range[1] > _TOLD_FACTOR_MAX * knee.iops_range[0]:
        return (
            "Where it lies cannot be told: the measurements of one load differ too much, or have too few I/Os;"
            " longer points (--runtime) tell more."
        )
    low, high = map(format_rate, knee.iops_range)
    if low == high:
        return ""
    return f"Within the noise it lies between {low} and {high} I/Os per second{_loads_in_words(knee, found.small_depths)}."


def _loads_in_words(knee: Knee, depths: Sequence[int]) -> str:
    if knee.small_depth_range is None:
        return ""
    low, high = knee.small_depth_range
    loads = f"{low}" if low == high else f"{low} to {high}"
    beyond = "; no heavier load was measured, so it may lie beyond" if high == max(depths, default=0) else ""
    return f", at {loads} outstanding{beyond}"


def small_row(points: Sequence[Point]) -> list[Point]:
    """Points without errors in the row with the lightest large load, by small load."""
    small = [point for point in points if is_sound(point) and point.small_depth and power(point) > 0]
    lightest = min((point.large_depth for point in small), default=0)
    return sorted(
        (point for point in small if point.large_depth == lightest), key=lambda point: point.small_depth
    )


def power(point: Point) -> float:
    """Rate ÷ mean latency of the small I/Os; 0 where there were none."""
    if not point.small_iops or not point.small_latency_us_mean:
        return 0.0
    return point.small_iops / point.small_latency_us_mean
