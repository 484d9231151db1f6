"""What mean latencies say of an objective on a quantile: it surely held, it was surely missed, or they do not say.

Servers count the time of all their I/Os and not each one's, so that only means are known. Of an interval whose mean is m:

- At most m / limit of them took longer than the limit (Markov's inequality: latencies are not negative). Where that is no more
  than the share that the quantile leaves, the objective held: p99 within 5 ms is sure where the mean is 50 µs.
- Where m lies above the limit, one I/O at least took longer. That alone makes no miss: of 10,000 I/Os one of a minute has a mean
  of 6 ms. Where intervals of ten seconds together have more such intervals than the quantile leaves of their I/Os, it was missed.

Everything in between is not known, however likely it looks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from plimsoll.facts import ClassDemand, DemandInterval, Objective
from plimsoll.facts.replay import WINDOW_S

ByMeans = Literal["held", "missed", "unknown"]


def latency_us(demand: ClassDemand) -> float | None:
    """The mean time of a class's I/O; a log's write lasts until it is on stable storage, where the log was forced."""
    if demand.is_forced or not demand.syncs_per_s:
        return demand.latency_us_mean
    parts = (demand.latency_us_mean, demand.sync_latency_us_mean)
    return None if None in parts else sum(part for part in parts if part is not None)


def objective_by_means(intervals: Sequence[DemandInterval], objective: Objective) -> ByMeans:
    """Of a demand's known intervals, of which there may be none."""
    known = [one for one in intervals if one.gap is None and one.duration_s > 0]
    if any(_is_missed(window, objective) for window in _windows(known)):
        return "missed"
    asked = [mean for one in known if (mean := _mean(one, objective)) is not None]
    if not asked or any(_is_untimed(one, objective) for one in known):
        return "unknown"
    left = (1 - objective.quantile) * objective.limit_us
    return "held" if all(mean <= left for _, mean in asked) else "unknown"


def of_all(found: Sequence[ByMeans]) -> ByMeans:
    """Of several objectives, every one of which must hold."""
    if "missed" in found:
        return "missed"
    return "held" if found and all(one == "held" for one in found) else "unknown"


def _windows(known: Sequence[DemandInterval]) -> Iterator[list[DemandInterval]]:
    """Intervals one after the other, of ten seconds together or a little more."""
    window: list[DemandInterval] = []
    for interval in known:
        window.append(interval)
        if sum(one.duration_s for one in window) >= WINDOW_S - 1e-6:
            yield window
            window = []
    if window:
        yield window


def _is_missed(window: Sequence[DemandInterval], objective: Objective) -> bool:
    """Whether more I/Os than the quantile leaves were surely beyond the limit: one at least of each interval whose mean is."""
    counted = [_mean(one, objective) for one in window]
    beyond = sum(one is not None and one[1] > objective.limit_us for one in counted)
    ios = sum(
        (io.ops_per_s or 0.0) * one.duration_s for one in window for io in _classes(one, objective).values()
    )
    return beyond > (1 - objective.quantile) * ios


def _mean(interval: DemandInterval, objective: Objective) -> tuple[float, float] | None:
    """I/Os of the classes that the objective is about, whose time is known, and their mean; None where there are none."""
    timed = [
        (io.ops_per_s * interval.duration_s, mean)
        for io in _classes(interval, objective).values()
        if io.ops_per_s and (mean := latency_us(io)) is not None
    ]
    ios = sum(count for count, _ in timed)
    return (ios, sum(count * mean for count, mean in timed) / ios) if ios else None


def _is_untimed(interval: DemandInterval, objective: Objective) -> bool:
    return any(io.ops_per_s != 0 and latency_us(io) is None for io in _classes(interval, objective).values())


def _classes(interval: DemandInterval, objective: Objective) -> dict[str, ClassDemand]:
    return {name: io for name, io in interval.classes.items() if objective.io_class in (None, name)}
