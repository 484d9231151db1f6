"""A busy thread is a limit of ours; a blocking one, a virtual one and the null engine say nothing."""

from __future__ import annotations

from typing import Any

import pytest

import facts_builder
from plimsoll.facts import Check, LatencyUs
from plimsoll.supply.checks.tool_bound import CHECK
from simulated_cells import reads


def judged(**changes: Any) -> Check | None:
    cell = facts_builder.cell(None, reads()).model_copy(
        update={"runtime_s": 2.0, "jobs": 2, "cpu_threads_s": 1.0, **changes}
    )
    return CHECK.judge(cell, facts_builder.target())


def test_threads_with_time_to_spare_pass_with_their_cost() -> None:
    check = judged(cpu_us_per_io=3.1)
    assert check is not None
    assert check.passed is True
    assert check.figures == {"thread_cpu_share": pytest.approx(0.25), "cpu_us_per_io": 3.1}


@pytest.mark.parametrize(("busy_s", "passed"), [(3.6, True), (3.72, False), (4.0, False)])
def test_the_share_is_of_all_jobs_together(busy_s: float, passed: bool) -> None:
    check = judged(cpu_threads_s=busy_s)
    assert check is not None
    assert check.passed is passed
    assert ("--jobs" in check.reason) is not passed


@pytest.mark.parametrize("engine", ["psync", "sim", "null"])
def test_nothing_is_said_of_engines_whose_threads_sleep_or_do_no_io(engine: str) -> None:
    assert judged(engine=engine, cpu_threads_s=4.0) is None


def test_unknown_processor_time_is_no_verdict() -> None:
    assert judged(cpu_threads_s=None) is None


def test_lateness_beyond_the_tail_leaves_the_question_open() -> None:
    late = judged(latency_us=LatencyUs(count=1000, p99=200.0), lateness_us_max=201.0)
    early = judged(latency_us=LatencyUs(count=1000, p99=200.0), lateness_us_max=200.0)
    assert late is not None
    assert early is not None
    assert (late.passed, early.passed) == (None, True)
    assert late.figures["lateness_us_max"] == 201.0
