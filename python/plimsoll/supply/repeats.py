"""Several runs of one cell: which of them stands for all, how far they lie apart, and which lie oddly far off.

The 95 % interval is Student's for the mean of the runs' rates: runs are few, and their means over seconds of I/Os are close to
normal. Outliers are found by the modified z-score (Iglewicz and Hoaglin, "How to detect and handle outliers", 1993: beyond 3.5
by the median absolute deviation). They are named and stay in: a storage that is slow in one run of five is slow in one of five.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from plimsoll.base.limits import REPEATS_SPREAD_SHARE_MAX
from plimsoll.base.units import format_share
from plimsoll.facts import Cell, Check
from plimsoll.native.statistics import mean_ci95
from plimsoll.supply.checks.outage import outage_words

_OUTLIER_Z = 3.5
_Z_OF_MAD = 0.6745
_OUTLIER_RUNS_MIN = 5
"""With fewer, every second run would be an outlier of the others."""


def rate_ci95(values: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % interval of the mean of rates, which are never below zero; None of fewer than two."""
    if len(values) < 2:
        return None
    low, high = spread_of(values).ci95
    return max(0.0, low), high


@dataclass(frozen=True)
class Spread:
    """Of the runs' rates. `ci95` is of their mean; `outliers` are indexes."""

    median: float
    mean: float
    ci95: tuple[float, float]
    outliers: tuple[int, ...]

    @property
    def half_width_share(self) -> float:
        """Half of the interval, as a share of the mean."""
        return (self.ci95[1] - self.ci95[0]) / 2 / self.mean if self.mean else float("inf")


def spread_of(values: Sequence[float]) -> Spread:
    """The spread of at least two values."""
    return Spread(median(values), fmean(values), mean_ci95(values), tuple(outliers(values)))


def outliers(values: Sequence[float]) -> list[int]:
    """Indexes of the values that lie oddly far from the median; none among fewer than five."""
    middle = median(values)
    deviation = median(abs(value - middle) for value in values)
    if len(values) < _OUTLIER_RUNS_MIN or deviation == 0:
        return []
    return [at for at, value in enumerate(values) if _Z_OF_MAD * abs(value - middle) / deviation > _OUTLIER_Z]


def median_cell(cells: Sequence[Cell]) -> Cell:
    """The run whose rate is the median, the lower of the two middle ones among an even number."""
    return sorted(cells, key=lambda cell: cell.iops)[(len(cells) - 1) // 2]


def with_outages(cell: Cell, cells: Sequence[Cell]) -> Cell:
    """The run that stands for all, with the check `outage` failed where the server was away in another one."""
    hit = [one for one in cells if one.was_away]
    if cell.was_away or not hit:
        return cell
    reason = f"in {len(hit)} of {len(cells)} runs, not in the one that is told, {outage_words(hit[0])}"
    figures = {"outages": float(len(hit)), "outage_s": sum(one.outage_s for one in hit)}
    failed = Check(name="outage", passed=False, reason=reason, figures=figures)
    return cell.model_copy(update={"checks": (*(c for c in cell.checks if c.name != failed.name), failed)})


def with_standing(cell: Cell, cells: Sequence[Cell], checks_of: Callable[[Cell], Sequence[Check]]) -> Cell:
    """The run that stands for all, with the check `at_work` failed where I/Os stopped in another one, which is hardly ever the
    median."""
    failed = [
        one for each in cells for one in checks_of(each) if one.name == "at_work" and one.passed is False
    ]
    if not failed or any(one.name == "at_work" and one.passed is False for one in cell.checks):
        return cell
    reason = f"in {len(failed)} of {len(cells)} runs, not in the one that is told: {failed[0].reason}"
    told = failed[0].model_copy(update={"reason": reason})
    return cell.model_copy(update={"checks": (*(c for c in cell.checks if c.name != told.name), told)})


def judge_repeats(cells: Sequence[Cell], wanted: int) -> Check:
    """Whether the runs agree. Those cut short do not count; with fewer than two there is no verdict."""
    whole = [cell.iops for cell in cells if not cell.ended_early]
    if len(whole) < 2:
        reason = f"{len(whole)} of {wanted} runs came to their end: nothing to compare"
        return Check(name="repeatable", passed=None, reason=reason, figures={"runs": float(len(whole))})
    spread = spread_of(whole)
    agrees = spread.half_width_share <= REPEATS_SPREAD_SHARE_MAX
    figures = {
        "runs": float(len(whole)),
        "median_iops": spread.median,
        "mean_iops": spread.mean,
        "ci95_low_iops": spread.ci95[0],
        "ci95_high_iops": spread.ci95[1],
        "min_iops": min(whole),
        "max_iops": max(whole),
        "outliers": float(len(spread.outliers)),
    }
    return Check(
        name="repeatable", passed=agrees, reason=_words(whole, spread, agrees, wanted), figures=figures
    )


def _words(values: Sequence[float], spread: Spread, agrees: bool, wanted: int) -> str:
    limit = "" if agrees else f", more than {format_share(REPEATS_SPREAD_SHARE_MAX)}"
    odd = ", ".join(f"{values[at]:,.0f}" for at in spread.outliers)
    runs = f"{len(values)} runs" if len(values) == wanted else f"{len(values)} of {wanted} runs"
    return (
        f"{runs}: median {spread.median:,.0f} I/Os per second, 95 % interval of the mean (Student's t)"
        f" {spread.ci95[0]:,.0f} to {spread.ci95[1]:,.0f}, ± {format_share(spread.half_width_share, 1)}{limit}"
        + (f"; oddly far off, and kept: {odd}" if odd else "")
    )
