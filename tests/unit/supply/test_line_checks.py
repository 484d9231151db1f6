"""Checks of a line's trials reach the line: its status, its words, and the verdict that rests on it."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Sequence
from pathlib import Path

import facts_builder
import facts_runs
from plimsoll.base.errors import ExitStatus
from plimsoll.charts import Subject
from plimsoll.facts import AtDevices, Cell, Check, Line, Trial
from plimsoll.flows.line import measure_line
from plimsoll.pages.sections.verdict import SECTION
from plimsoll.predict.verdict import judge
from plimsoll.requests.line import LineRequest
from plimsoll.results import Answer
from plimsoll.results.line import line_status
from plimsoll.store import summarize
from plimsoll.supply.checks import passive_checks
from plimsoll.supply.line_checks import judge_trials
from simulated import context

MERGED = AtDevices(
    devices=("sdb",), reads=80_000, read_bytes=80_000 << 13, writes=0, write_bytes=0,
    device_reads=10_000, device_read_bytes=80_000 << 13, device_writes=0, device_write_bytes=0,
)  # fmt: skip


def _checks(cell: Cell) -> Sequence[Check]:
    return passive_checks(cell, facts_builder.target())


def with_merged(line: Line, every: int) -> Line:
    """Of the trials that held, one in so many reached the device merged."""
    held = 0
    trials: list[Trial] = []
    for trial in line.trials:
        held += bool(trial.held)
        merged = trial.held and held % every == 0
        cell = trial.cell.model_copy(update={"at_devices": MERGED if merged else None})
        trials.append(trial.model_copy(update={"cell": cell}))
    return line.model_copy(update={"trials": tuple(trials)})


@functools.cache
def measured() -> Line:
    """A line of a simulated device, as if a real one had given it."""
    with tempfile.TemporaryDirectory() as folder, context(Path(folder)) as ctx:
        line = measure_line(ctx, LineRequest("sim:mean=100us", trial_s=0.5, seed=1)).line
    assert line is not None
    trials = [
        trial.model_copy(update={"cell": trial.cell.model_copy(update={"engine": "io_uring", "groups": ()})})
        for trial in line.trials
    ]
    return line.model_copy(update={"trials": tuple(trials)})


def judged(every: int) -> Line:
    line = with_merged(measured(), every)
    return line.model_copy(update={"checks": judge_trials(line, _checks)})


def test_a_check_that_fails_throughout_is_the_answer() -> None:
    line = judged(every=1)
    (check,) = line.checks
    held = sum(bool(trial.held) for trial in line.trials)
    assert (check.name, check.passed) == ("reached", False)
    assert check.reason.startswith(f"in {held} of {held} trials that held: sdb counted 10,000 I/Os")
    assert line_status(line) is ExitStatus.ANSWER_IS_NO
    assert "not valid" in summarize(facts_runs.line_run(line)).result
    (answer, *_) = SECTION.blocks(Subject(facts_runs.line_run(line)))
    assert isinstance(answer, Answer)
    assert answer.tone == "no"
    assert answer.headline.endswith(" I/Os per second, not valid")
    assert "sdb counted" in answer.reason


def test_one_that_fails_now_and_then_is_chance() -> None:
    line = judged(every=5)
    assert line.checks == ()
    assert line_status(line) is ExitStatus.DONE


def test_no_yes_rests_on_a_line_that_is_not_the_storages() -> None:
    demand = facts_builder.demand()
    assert judge(demand, 1_000, judged(every=5)).carries is True
    verdict = judge(demand, 1_000, judged(every=1))
    assert verdict.carries is None
    assert "the line is not valid, so the verdict stays open" in verdict.reason
    assert judge(demand, 112_000, judged(every=1)).carries is False


def test_a_simulated_line_has_none(tmp_path: Path) -> None:
    with context(tmp_path) as ctx:
        run = measure_line(ctx, LineRequest("sim:mean=100us", trial_s=0.5))
    assert run.line is not None
    assert run.line.checks == ()


def test_failed_ios_reach_the_words_of_a_line(tmp_path: Path) -> None:
    """`up to 5,260 are safe` was said of a rate at which three fresh trials had missed, because I/Os failed in them."""
    with context(tmp_path) as ctx:
        run = measure_line(ctx, LineRequest("sim:mean=100us,error=0.000001", seed=1))
    line = run.line
    assert line is not None
    assert line.outcome == "found"
    (check,) = line.checks
    assert check.name == "errors"
    assert "a trial with a failed one never holds" in check.reason
    assert line_status(line) is ExitStatus.WORLD_FAILED
    failed = sum(trial.cell.errors for trial in line.trials)
    assert summarize(run).result.endswith(f", not valid at p99=10ms, {failed} errors")
