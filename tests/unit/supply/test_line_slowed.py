"""The line of storage that becomes slower under the search, whatever budget then ends it: never what held before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from made_up_trials import made_up
from plimsoll.base.errors import ExitStatus
from plimsoll.facts import Cell, Line
from plimsoll.results.line import line_status
from plimsoll.supply.line import Search, find_line
from plimsoll.supply.slo import parse_slo
from plimsoll.supply.workloads import workload

SEARCH = Search(parse_slo("p99=1ms"), workload("randread", 8192), start_rate=100_000)
FULL, SLOWED = 115_000.0, 17_000.0
HELD_BEFORE = 3
"""Trials at 25,000, 50,000 and 100,000 a second, which double."""
BUDGETS_S = [8.0, 12.0, 17.0, 25.0, 30.0]


def serving(capacity: float, **asked: Any) -> Cell:
    """A measurement of storage that does so much at most, also when it is asked for more; all is late then."""
    cell = cast(Cell, made_up("io_uring", 0.3, 0.0, held_below=capacity)(**asked))
    if asked["rate"] < capacity:
        return cell
    windows = tuple(one.model_copy(update={"iops": capacity}) for one in cell.windows)
    late = made_up("io_uring", 0.3, 0.0, held_below=capacity, served_us=400_000.0)(**asked)
    return late.model_copy(update={"windows": windows, "iops": capacity})


def searched(budget_s: float, trials_at_full: float, slowed: float = SLOWED) -> Line:
    """A search of that budget; after so many trials, controls not counted, the storage does less."""
    made = 0

    def measure(**asked: Any) -> Cell:
        nonlocal made
        made += asked["rate"] != SEARCH.start_rate / 20
        return serving(FULL if made <= trials_at_full else slowed, **asked)

    return find_line(replace(SEARCH, budget_s=budget_s), cast(Any, measure))


@pytest.mark.parametrize("budget_s", [5.0, 7.0, *BUDGETS_S])
def test_what_held_before_storage_became_slower_is_no_line(budget_s: float) -> None:
    """2,000 a second held, 4,000 to 2,180 were asked for and 300 done: that was told as a line of 2,090."""
    line = searched(budget_s, HELD_BEFORE)
    assert any(trial.held is False for trial in line.trials), "the budget reaches to the slow storage"
    assert (line.outcome, line.line_iops, line.safe_iops) == ("unsteady", None, None)
    assert "the target changed under the search: p99=1ms was held at 100,000" in line.reason
    assert line_status(line) is ExitStatus.ANSWER_IS_NO


@pytest.mark.parametrize("budget_s", [3.4, 4.0, 4.6])
def test_a_single_slow_trial_at_the_end_leaves_it_open(budget_s: float) -> None:
    line = searched(budget_s, HELD_BEFORE)
    assert [trial.held for trial in line.trials] == [True, True, True, False]
    assert (line.outcome, line.line_iops, line.safe_iops) == ("unsteady", None, None)
    assert (
        "it held at 100,000 I/Os per second, and later, when 200,000 were asked for, no more than 17,000"
        in line.reason
    )
    assert f"the budget of {budget_s:g} s ended the search" in line.reason


@pytest.mark.parametrize("budget_s", BUDGETS_S)
def test_storage_that_does_what_it_can_has_a_line_and_says_whether_it_is_confirmed(budget_s: float) -> None:
    line = searched(budget_s, trials_at_full=1e9)
    assert line.outcome == "found"
    assert line.ci95 is not None
    assert line.ci95[0] <= FULL <= line.ci95[1]
    fresh = [trial for trial in line.trials if trial.phase == "confirm"]
    assert line.confirmed is (len(fresh) >= SEARCH.trials_confirm)
    assert line.confirmed is not ("before fresh trials could confirm it" in line.reason)


def test_one_bad_moment_after_which_as_much_held_again_is_no_change() -> None:
    made = 0

    def measure(**asked: Any) -> Cell:
        nonlocal made
        made += asked["rate"] != SEARCH.start_rate / 20
        return serving(SLOWED if made == HELD_BEFORE + 1 else FULL, **asked)

    line = find_line(replace(SEARCH, budget_s=15.0), cast(Any, measure))
    assert line.outcome == "found"
    assert line.confirmed is False
