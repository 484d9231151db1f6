"""The safe rate of a line rests on fresh trials, and the answer says where it does not or where little is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.base.limits import TRIALS_CONFIRM
from plimsoll.native.latency import ios_above
from simulated import find


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
