"""Stolen time and waiting beside busy neighbours make a number doubtful; our own work does not."""

from __future__ import annotations

from typing import Any

import pytest

import facts_builder
from plimsoll.facts import Check, Cpu, HostTime
from plimsoll.supply.checks.host_noise import CHECK
from simulated_cells import reads

QUIET = HostTime(user_s=0.5, system_s=1.0, steal_s=0.0)


def judged(**changes: Any) -> Check | None:
    base = {
        "runtime_s": 10.0,
        "cpu_s": Cpu(user=0.5, system=1.0),
        "host": QUIET,
        "processor_wait_share": 0.01,
    }
    return CHECK.judge(
        facts_builder.cell(None, reads()).model_copy(update=base | changes), facts_builder.target()
    )


def test_a_quiet_machine_passes() -> None:
    check = judged()
    assert check is not None
    assert check.passed is True
    assert check.figures == {
        "steal_processors": 0.0,
        "others_processors": 0.0,
        "processor_wait_share": 0.01,
    }


@pytest.mark.parametrize(("steal_s", "passed"), [(0.5, True), (0.51, False)])
def test_stolen_time_fails_from_a_twentieth_of_a_processor_on(steal_s: float, passed: bool) -> None:
    check = judged(host=QUIET.model_copy(update={"steal_s": steal_s}))
    assert check is not None
    assert check.passed is passed


@pytest.mark.parametrize(
    ("waited", "others_s", "passed"),
    [(0.5, 0.9, True), (0.019, 9.0, True), (0.021, 1.1, False)],
)
def test_waiting_counts_only_beside_others(waited: float, others_s: float, passed: bool) -> None:
    busy = QUIET.model_copy(update={"user_s": 0.5 + others_s})
    check = judged(host=busy, processor_wait_share=waited)
    assert check is not None
    assert check.passed is passed
    assert check.figures["others_processors"] == pytest.approx(others_s / 10)


def test_threads_of_psync_wait_for_each_other() -> None:
    check = judged(engine="psync", processor_wait_share=0.9, host=QUIET.model_copy(update={"user_s": 5.0}))
    assert check is not None
    assert check.passed is True
    assert "processor_wait_share" not in check.figures


@pytest.mark.parametrize("changes", [{"engine": "sim"}, {"host": None}])
def test_without_a_machine_there_is_no_noise(changes: dict[str, Any]) -> None:
    assert judged(**changes) is None
