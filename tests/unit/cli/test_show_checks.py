"""What people read of checks and of cost, and what a script sees as exit status."""

from __future__ import annotations

from typing import Any

import pytest

import facts_builder
import facts_runs
from plimsoll.base.errors import ExitStatus
from plimsoll.cli.checks import check_lines, cost_words
from plimsoll.facts import Check, Cpu, HostTime
from plimsoll.results import status
from simulated_cells import failed_check, reads


def status_with(*checks: Check) -> ExitStatus:
    """Of a run whose cell has these checks."""
    run = facts_runs.io_run()
    assert run.cell is not None
    return status(run.model_copy(update={"cell": run.cell.model_copy(update={"checks": checks})}))


def check(name: str, passed: bool | None) -> Check:
    return failed_check(name).model_copy(update={"passed": passed})


@pytest.mark.parametrize("name", ["bounds", "cached", "steady", "repeatable", "tool_bound"])
def test_what_says_that_the_number_is_not_the_storages_is_a_no(name: str) -> None:
    assert status_with(check("errors", True), check(name, False)) is ExitStatus.ANSWER_IS_NO


@pytest.mark.parametrize("name", ["host_noise", "bimodal", "drift", "punted"])
def test_a_warning_is_none(name: str) -> None:
    assert status_with(check(name, False), check("cached", None)) is ExitStatus.DONE


def test_failed_open_and_asked_for_are_told_with_reasons_the_others_by_name() -> None:
    verdicts = {"bimodal": True, "errors": True, "bounds": False, "coverage": None, "cached": True}
    told = check_lines([check(name, passed) for name, passed in verdicts.items()])
    assert [line.split(": ")[:2] for line in told] == [
        ["check failed", "bounds"],
        ["check open", "coverage"],
        ["check passed", "cached"],
        ["checks passed", "bimodal, errors"],
    ]


def test_without_checks_nothing_is_told() -> None:
    assert check_lines([]) == []


def cost(**changes: Any) -> str:
    base = {
        "ios": 1000,
        "cpu_us_per_io": 5.0,
        "cpu_s": Cpu(user=0.001, system=0.004),
        "cpu_threads_s": 0.003,
        "context_switches": 500,
        "host": HostTime(user_s=1.0, system_s=1.0, steal_s=0.0),
    }
    return cost_words(facts_builder.cell(None, reads()).model_copy(update=base | changes))


def test_cost_by_who_paid_it() -> None:
    assert cost(cpu_workers_s=0.0015) == (
        "CPU time 5.00 µs per I/O (1.00 user, 4.00 system; 3.00 in the submitting threads,"
        " 1.50 in the kernel's workers), 0.5 context switches"
    )


def test_what_is_unknown_is_left_out() -> None:
    words = cost(cpu_threads_s=None, cpu_workers_s=None, context_switches=None)
    assert words == "CPU time 5.00 µs per I/O (1.00 user, 4.00 system)"
    assert cost(cpu_us_per_io=None) == "CPU time per I/O unknown"
