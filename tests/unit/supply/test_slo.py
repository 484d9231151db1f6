"""Objectives as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base.errors import UsageError
from plimsoll.facts import IoClass, Objective, Workload
from plimsoll.supply.slo import check_classes, parse_slo


@pytest.mark.parametrize(
    ("text", "quantile", "limit_us"),
    [
        ("p99=1ms", 0.99, 1000.0),
        ("p99<=1ms", 0.99, 1000.0),
        (" p99 = 1ms ", 0.99, 1000.0),
        ("p50=80us", 0.5, 80.0),
        ("p5=80us", 0.05, 80.0),
        ("p999=2ms", 0.999, 2000.0),
        ("p99.9=2ms", 0.999, 2000.0),
        ("p9999=10ms", 0.9999, 10_000.0),
        ("p99.99=0.01s", 0.9999, 10_000.0),
        ("p95=1.5ms", 0.95, 1500.0),
    ],
)
def test_one_objective(text: str, quantile: float, limit_us: float) -> None:
    (objective,) = parse_slo(text).objectives
    assert objective.io_class is None
    assert objective.quantile == quantile
    assert objective.limit_us == pytest.approx(limit_us, rel=1e-12)


def test_one_objective_for_each_class() -> None:
    slo = parse_slo("read.p99=5ms, redo_write.p999=2ms")
    assert slo.objectives == (
        Objective(io_class="read", quantile=0.99, limit_us=5000.0),
        Objective(io_class="redo_write", quantile=0.999, limit_us=2000.0),
    )
    assert slo.text == "read.p99=5ms,redo_write.p999=2ms"
    assert (slo.quantile_max, slo.limit_us_max) == (0.999, 5000.0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "p99",
        "p99=",
        "99=1ms",
        "p100=1ms",
        "p125=1ms",
        "p1e1=1ms",
        "p0=1ms",
        "pxx=1ms",
        "p99>1ms",
        "Read.p99=1ms",
        "p99=1ms,",
        "p99=0ms",
        "p99=5",
        "p99=0.005",
    ],
)
def test_what_is_no_objective_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_slo(text)
    assert refused.value.id == "slo-unreadable"
    assert refused.value.hint is not None


def test_a_limit_without_a_unit_is_not_taken_as_seconds() -> None:
    with pytest.raises(UsageError, match=r"the limit in 'read\.p99=5' has no unit") as refused:
        parse_slo("read.p99=5")
    assert "read.p99=5ms" in (refused.value.hint or "")


@pytest.mark.parametrize("text", ["p99=fast", "p99=-1ms", "p99=1 year"])
def test_a_limit_that_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_slo(text)
    assert refused.value.id in ("duration-unreadable", "slo-unreadable")


@given(st.integers(1, 9999), st.integers(1, 10**6))
def test_any_quantile_and_limit_survive_being_written(per_10k: int, limit_us: int) -> None:
    quantile = per_10k / 10_000
    (objective,) = parse_slo(f"p{quantile * 100:.2f}={limit_us}us").objectives
    assert objective.quantile == pytest.approx(quantile, abs=1e-9)
    assert objective.limit_us == pytest.approx(limit_us, rel=1e-9)


def test_an_objective_for_a_class_that_is_not_there_is_refused() -> None:
    mix = Workload(name="mix", classes=(IoClass(name="read", op="read", block_bytes=8192, weight=1),))
    check_classes(parse_slo("p99=1ms,read.p50=80us"), mix)
    with pytest.raises(UsageError, match="class 'redo'") as refused:
        check_classes(parse_slo("redo.p99=1ms"), mix)
    assert refused.value.id == "slo-class-unknown"
    assert refused.value.hint == "Its classes are: read."


def test_a_limit_that_is_none_is_told_with_its_objective() -> None:
    with pytest.raises(UsageError) as refused:
        parse_slo("p50=1ms,p99=soon")
    assert refused.value.id == "slo-unreadable"
    assert refused.value.message == "in the latency objective 'p99=soon': cannot read 'soon' as a duration"
    assert "p99=1ms" in (refused.value.hint or "")
