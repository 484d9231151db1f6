"""What means say of a quantile: checked against distributions that are known whole."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any

import pytest

from demand_snapshots import START
from plimsoll.facts import ClassDemand, DemandInterval, Objective
from plimsoll.predict.means import latency_us, objective_by_means, of_all

P99_5MS = Objective(io_class="small_read", quantile=0.99, limit_us=5000.0)
ALL_5MS = Objective(quantile=0.99, limit_us=5000.0)


def interval(
    number: int, ios: float, mean_us: float | None, **others: tuple[float, float | None]
) -> DemandInterval:
    asked = {"small_read": (ios, mean_us), **others}
    classes: Any = {
        name: ClassDemand(ops_per_s=ops, bytes_per_s=8192 * ops, latency_us_mean=mean, source="counters")
        for name, (ops, mean) in asked.items()
    }
    begin = START + timedelta(seconds=number)
    return DemandInterval(
        begin_time=begin, end_time=begin + timedelta(seconds=1), duration_s=1.0, classes=classes,
        iops=sum(ops for ops, _ in asked.values()), mb_per_s=1.0,
    )  # fmt: skip


def seconds(ios: float, mean_us: float | None, count: int = 20) -> list[DemandInterval]:
    return [interval(n, ios, mean_us) for n in range(count)]


def test_a_mean_of_a_hundredth_of_the_limit_is_sure() -> None:
    assert objective_by_means(seconds(1000.0, 50.0), P99_5MS) == "held"
    assert objective_by_means(seconds(1000.0, 51.0), P99_5MS) == "unknown"


def test_a_mean_above_the_limit_is_no_miss_by_itself() -> None:
    """Nine of a thousand I/Os at 600 ms each make the mean 5.4 ms, and 991 are below the limit."""
    assert objective_by_means(seconds(1000.0, 5400.0), P99_5MS) == "unknown"


def test_few_ios_with_a_mean_above_the_limit_are_a_miss() -> None:
    """Of fifty a second one at least is beyond the limit: 2 %."""
    assert objective_by_means(seconds(50.0, 5400.0), P99_5MS) == "missed"
    assert objective_by_means(seconds(101.0, 5400.0), P99_5MS) == "unknown"
    calm = [interval(n, 50.0, 5400.0 if n % 10 == 0 else 40.0) for n in range(20)]
    assert objective_by_means(calm, P99_5MS) == "unknown", "one of five hundred in ten seconds"


def test_what_is_not_timed_is_not_known() -> None:
    assert objective_by_means(seconds(1000.0, None), P99_5MS) == "unknown"
    assert objective_by_means([], P99_5MS) == "unknown"
    part = [interval(n, 1000.0, 20.0, small_write=(10.0, None)) for n in range(20)]
    assert objective_by_means(part, ALL_5MS) == "unknown"
    assert objective_by_means(part, P99_5MS) == "held"


def test_one_over_all_ios_takes_them_together() -> None:
    found = [interval(n, 1000.0, 20.0, small_write=(10.0, 900.0)) for n in range(20)]
    assert objective_by_means(found, ALL_5MS) == "held"
    assert objective_by_means(found, ALL_5MS.model_copy(update={"io_class": "small_write"})) == "unknown"


def test_gaps_and_seconds_without_ios_say_nothing() -> None:
    gap = interval(20, 0.0, None).model_copy(
        update={"gap": "restarted", "classes": {}, "iops": None, "mb_per_s": None}
    )
    quiet = interval(21, 0.0, None)
    assert objective_by_means([*seconds(1000.0, 20.0), gap, quiet], P99_5MS) == "held"


@pytest.mark.parametrize("seed", range(40))
def test_it_is_never_wrong_about_a_distribution_that_is_known(seed: int) -> None:
    """Seconds of I/Os with heavy tails: what is called held or missed is so in some, or in each, of the ten seconds."""
    draw = random.Random(seed)
    scale, ios = 10 ** draw.uniform(0.5, 4.0), draw.choice((20, 60, 150, 800))
    each = [[scale * draw.paretovariate(draw.uniform(1.2, 3.0)) for _ in range(ios)] for _ in range(20)]
    found = [interval(n, float(ios), sum(one) / ios) for n, one in enumerate(each)]
    tens = [[value for one in each[start : start + 10] for value in one] for start in (0, 10)]
    held = [sum(value > P99_5MS.limit_us for value in ten) <= 0.01 * len(ten) for ten in tens]
    said = objective_by_means(found, P99_5MS)
    assert said != "held" or all(held)
    assert said != "missed" or not all(held)


def test_a_log_write_lasts_until_it_is_safe() -> None:
    redo = ClassDemand(
        ops_per_s=100.0, bytes_per_s=1e6, latency_us_mean=30.0, syncs_per_s=90.0, sync_latency_us_mean=800.0, source="wal"
    )  # fmt: skip
    assert latency_us(redo) == 830.0
    assert latency_us(redo.model_copy(update={"sync_latency_us_mean": None})) is None
    assert latency_us(redo.model_copy(update={"syncs_per_s": None})) == 30.0
    oracle = redo.model_copy(
        update={"latency_us_mean": 2430.0, "sync_latency_us_mean": 2430.0, "is_forced": True}
    )
    assert latency_us(oracle) == 2430.0, "each write is the forced one"


def test_of_several_objectives_the_worst_counts() -> None:
    assert of_all(["held", "missed", "unknown"]) == "missed"
    assert of_all(["held", "unknown"]) == "unknown"
    assert of_all(["held", "held"]) == "held"
    assert of_all([]) == "unknown"
