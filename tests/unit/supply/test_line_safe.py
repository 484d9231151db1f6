"""The safe rate of a line rests on fresh trials, and the answer says where it does not or where little is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.base.limits import TRIALS_CONFIRM
from plimsoll.facts import Cell
from plimsoll.native.latency import ios_above, latency_of_counts
from plimsoll.supply.line import Search
from plimsoll.supply.outcomes import found, held_by_all
from plimsoll.supply.slo import parse_slo
from plimsoll.supply.trials import State, judge
from plimsoll.supply.workloads import workload
from simulated import find
from simulated_cells import measured


@pytest.mark.parametrize("seed", [2, 4])
def test_the_safe_rate_is_none_that_fresh_trials_did_not_hold(tmp_path: Path, seed: int) -> None:
    """5,180 was called safe after fresh trials at 5,105; and with another seed 1.2 of 100 were late in those that confirmed it."""
    line = find(tmp_path, "sim:mean=100us", seed=seed, budget_s=60.0)
    fresh = [trial for trial in line.trials if trial.phase == "confirm"][-TRIALS_CONFIRM:]
    (rate,) = {trial.rate for trial in fresh}
    assert line.safe_iops is not None
    assert line.safe_iops <= rate
    late = sum(ios_above(trial.latency_us, 1000.0) for trial in fresh)
    assert late <= 0.01 * sum(trial.latency_us.count for trial in fresh)
    assert "confirm" not in line.reason


def test_an_answer_says_that_nothing_confirmed_it_and_how_wide_it_is(tmp_path: Path) -> None:
    line = find(tmp_path, "sim:mean=1ms", "p99=2s", seed=2, budget_s=20.0)
    assert line.ci95 is not None
    assert line.ci95[1] > 3 * line.ci95[0]
    assert "the budget of 20 s ended the search before fresh trials could confirm it; " in line.reason
    assert line.reason.endswith(f"its interval is {line.ci95[1] / line.ci95[0]:.1f} times the lower one")


def test_a_line_too_slow_for_a_trial_of_millions_of_ios_is_found_all_the_same(tmp_path: Path) -> None:
    """At a second for each I/O a trial was to last longer than the engine takes, and the run ended as a defect of ours."""
    line = find(tmp_path, "sim:law=constant,mean=1s", "p99=5s")
    assert line.outcome == "found"
    assert line.line_iops is not None
    assert 0.3 < line.line_iops < 1.0


def test_trials_that_missed_below_the_safe_rate_are_told_with_what_all_there_say(tmp_path: Path) -> None:
    """A stall in each trial makes brief ones miss at 4,210 and leaves whole ones, three times as long, below their limit."""
    line = find(tmp_path, "sim:mean=100us,stall_after=30000,stall=1s", seed=1)
    assert line.safe_iops is not None
    up_to = [trial for trial in line.trials if trial.held is not None and trial.rate <= line.safe_iops]
    missed = sum(trial.held is False for trial in up_to)
    assert missed
    assert f"of {len(up_to)} trials at or below that {missed} missed, and all together had 0." in line.reason


def searched(cell: Cell, trials: list[tuple[float, float, int]]) -> State:
    """A search whose trials had that rate, share of late I/Os, and number of I/Os."""
    state = State(
        Search(parse_slo("p99=1ms"), workload("randread", 8192), 10_000),
        lambda rate, runtime_s, warm_up_s, window_s, give_up_latency_us, seed: cell,
        lambda: False,
        lambda *_: None,
    )
    for rate, late_share, ios in trials:
        late = round(late_share * ios)
        changes = {
            "latency_us": latency_of_counts([(100.0, ios - late), (2000.0, late)]),
            "ios": ios,
            "windows": (),
        }
        changes |= {"runtime_s": ios / rate, "offered_ios": ios}
        state.trials.append(judge(state, cell.model_copy(update=changes), rate, "gather"))
    return state


CURVE = [(4000.0, 0.001, 10_000), (4500.0, 0.005, 10_000), (5500.0, 0.02, 10_000), (6000.0, 0.05, 10_000)]


@pytest.mark.parametrize(
    ("more", "rate"),
    [([], 4800.0), ([(4200.0, 0.015, 3000)], 4800.0), ([(4200.0, 0.5, 10_000)], 4000.0), ([(3000.0, 0.5, 10_000)], None)],
)  # fmt: skip
def test_no_rate_is_safe_below_which_all_trials_together_missed(
    tmp_path: Path, more: list[tuple[float, float, int]], rate: float | None
) -> None:
    """The curve clips a stall of half a trial to eight times what may be late, and 4,800 was safe beside it."""
    state = searched(measured(tmp_path, "sim:")[0], CURVE + more)
    assert held_by_all(state, 4800.0) == rate
    line = found(state)
    assert (line.outcome, line.safe_iops is None) == (("found", False) if rate else ("unsteady", True)), (
        line.reason
    )
    assert rate is None or (line.safe_iops or 0.0) <= rate
