"""The line search on measurements that are made up: what a busy host, a changing device or a short budget do is never the line."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any, cast

import pytest

from made_up_trials import made_up
from plimsoll.base.errors import ExitStatus, UsageError, WorldError
from plimsoll.facts import Arrivals, Cell
from plimsoll.native.latency import latency_of_counts
from plimsoll.results.line import line_status
from plimsoll.supply.line import Search, find_line
from plimsoll.supply.slo import parse_slo
from plimsoll.supply.workloads import workload

SEARCH = Search(parse_slo("p99=1ms"), workload("randread", 8192), start_rate=100_000)


def test_a_latency_that_rises_at_every_rate_gives_no_line() -> None:
    steady = made_up("io_uring", 0.3, 0.0, held_below=80_000)

    def measure(**asked: Any) -> Cell:
        cell = steady(**asked)
        rising = [
            w.model_copy(update={"latency_us_p50": 100.0 * (n + 1)}) for n, w in enumerate(cell.windows)
        ]
        return cell.model_copy(update={"windows": tuple(rising)})

    line = find_line(SEARCH, cast(Any, measure))
    assert (line.outcome, line.line_iops) == ("unsteady", None)
    assert "though each was longer than the one before: the latency was still rising" in line.reason


def test_our_own_processor_time_is_never_sold_as_the_storages_line() -> None:
    line = find_line(SEARCH, made_up("io_uring", 0.97, 0.0, held_below=80_000))
    assert line.outcome == "not_limited"
    assert line.line_iops == 50_000
    assert "our own CPU time, not the storage, was the limit" in line.reason


@pytest.mark.parametrize(("engine", "busy_share"), [("io_uring", 0.6), ("psync", 1.9), ("sim", 5.0)])
def test_busy_threads_that_are_not_the_limit_do_not_hide_a_line(engine: str, busy_share: float) -> None:
    """Under psync many threads share the work, and virtual time cannot be compared with CPU time."""
    line = find_line(SEARCH, made_up(engine, busy_share, None, held_below=80_000))
    assert line.outcome == "found"
    assert line.line_iops == pytest.approx(80_000, rel=0.02)


def test_a_machine_whose_processors_are_taken_is_not_blamed_on_the_storage() -> None:
    line = find_line(SEARCH, made_up("io_uring", 0.5, 0.3, held_below=0.0))
    assert line.outcome == "unsteady"
    assert "too busy to measure storage" in line.reason
    assert "30 % of the time" in line.reason
    assert any(note.code == "host-busy" for note in line.notes)


def late_of_ourselves(service_us: float, backlog_ios: int) -> Any:
    """A host that holds our thread up for 5 ms now and then; the storage takes `service_us` at the 99th percentile."""
    sound = made_up("io_uring", 0.3, 0.0, held_below=0.0, served_us=500.0)

    def measure(**asked: Any) -> Cell:
        cell = sound(**asked)
        service = latency_of_counts([(service_us, 100_000)])
        update = {
            "ended_early": "", "service_us": service, "lateness_us_max": 5_000.0, "backlog_ios_max": backlog_ios,
            "arrivals": Arrivals(kind="poisson", rate_per_s=asked["rate"]),
        }  # fmt: skip
        return cell.model_copy(update=update)

    return measure


def test_our_own_late_starts_are_not_blamed_on_the_storage() -> None:
    line = find_line(SEARCH, late_of_ourselves(service_us=300.0, backlog_ios=1))
    assert line.outcome == "unsteady"
    assert "held the measuring threads up by as much as 5 ms" in line.reason


@pytest.mark.parametrize(("service_us", "backlog_ios"), [(1_500.0, 1), (300.0, 100_000)])
def test_late_starts_excuse_no_storage_that_is_slow_or_overloaded(
    service_us: float, backlog_ios: int
) -> None:
    line = find_line(SEARCH, late_of_ourselves(service_us, backlog_ios))
    assert line.outcome == "never_held"


def failing_after(trials: int, how: Exception | str) -> Any:
    """A device that answers so many trials, and then raises, or ends a trial early for the reason given."""
    sound = made_up("io_uring", 0.3, 0.0, held_below=80_000)
    count = 0

    def measure(**asked: Any) -> Cell:
        nonlocal count
        count += 1
        if count <= trials:
            return sound(**asked)
        if isinstance(how, Exception):
            raise how
        return sound(**asked).model_copy(update={"ended_early": how, "errors": 256})

    return measure


@pytest.mark.parametrize(
    ("how", "trials"),
    [(WorldError("io-failed", "every i/o failed"), 3), ("errors", 4)],
    ids=["raised", "ended early"],
)
def test_a_device_that_fails_in_the_middle_keeps_the_trials(how: Exception | str, trials: int) -> None:
    line = find_line(SEARCH, failing_after(3, how))
    assert (line.outcome, line.line_iops, len(line.trials)) == ("failed", None, trials)
    assert line.reason.startswith(f"the storage failed after {trials} trials, and the line is not known: ")
    assert line_status(line) is ExitStatus.WORLD_FAILED


def test_a_failure_without_any_trial_is_raised_and_so_are_mistakes_of_ours() -> None:
    with pytest.raises(WorldError):
        find_line(SEARCH, failing_after(0, WorldError("io-failed", "every i/o failed")))
    with pytest.raises(UsageError):
        find_line(SEARCH, failing_after(3, UsageError("spec-invalid", "no such depth")))


def test_a_line_found_beside_failed_ios_does_not_end_with_0() -> None:
    line = find_line(SEARCH, made_up("io_uring", 0.6, None, held_below=80_000))
    assert line_status(line) is ExitStatus.DONE
    hurt = [
        trial.model_copy(update={"cell": trial.cell.model_copy(update={"errors": 1})})
        for trial in line.trials[:1]
    ]
    line = line.model_copy(update={"trials": (*hurt, *line.trials[1:])})
    assert line_status(line) is ExitStatus.WORLD_FAILED


def test_misses_of_a_busy_moment_do_not_move_the_line() -> None:
    """In one of three trials a neighbour takes the CPU: the latency is bad, and our threads were seen waiting."""
    quiet, busy = (
        made_up("io_uring", 0.3, waiting, held_below) for waiting, held_below in ((0.001, 61_000), (0.2, 0.0))
    )
    chance = random.Random(1)

    def measure(**asked: Any) -> Any:
        return (busy if chance.random() < 1 / 3 else quiet)(**asked)

    line = find_line(SEARCH, cast(Any, measure))
    assert line.outcome == "found"
    assert line.line_iops == pytest.approx(61_000, rel=0.03)
    void = [trial for trial in line.trials if trial.held is None]
    assert void
    assert any("waited for a CPU 20 % of the time" in (trial.void_reason or "") for trial in void)


def test_where_no_trial_that_can_be_believed_missed_the_line_is_a_lower_bound() -> None:
    """Above 61,000 a second a neighbour always takes the CPU: what missed there says nothing of the storage."""
    held, busy = (made_up("io_uring", 0.3, waiting, 61_000) for waiting in (0.001, 0.2))

    def measure(**asked: Any) -> Any:
        return (held if asked["rate"] < 61_000 else busy)(**asked)

    line = find_line(SEARCH, cast(Any, measure))
    assert all(trial.held is not False for trial in line.trials)
    assert line.outcome == "not_limited"
    assert "no trial above it was valid" in line.reason
    assert line.ci95 is None


def test_a_cliff_takes_few_trials_and_its_gap_is_the_interval() -> None:
    line = find_line(SEARCH, made_up("io_uring", 0.3, 0.0, held_below=61_000))
    assert line.ci95 is not None
    assert line.ci95[0] <= 61_000 <= line.ci95[1] <= line.ci95[0] * 1.10
    assert len(line.trials) <= 20


def test_a_latency_of_stalls_that_does_not_fall_with_the_rate_is_none_of_the_storages() -> None:
    """p99 was 15 to 29 ms at 18,900, 9,450 and 4,730 a second alike, and half of the I/Os took 60 µs."""
    line = find_line(SEARCH, made_up("io_uring", 0.3, 0.0, held_below=0.0, served_us=60.0))
    assert (line.outcome, line.line_iops) == ("unsteady", None)
    assert "at only 5,000 I/Os per second p99 was 4 ms, so that this host" in line.reason
    assert all(control.phase == "control" for control in line.controls)
    assert line_status(line) is ExitStatus.ANSWER_IS_NO


@pytest.mark.parametrize("engine", ["psync", "sim"])
def test_a_first_trial_that_missed_on_a_real_device_is_made_again(engine: str) -> None:
    """The memory of 64 threads was being made under it: p99 430 ms at 1,000 a second, and the search never looked above."""
    late, quiet = (made_up(engine, 0.3, 0.0, held_below) for held_below in (0.0, 61_000))
    seen = 0

    def measured(**asked: Any) -> Cell:
        nonlocal seen
        seen += 1
        return (late if seen == 1 else quiet)(**asked)

    measure: Any = measured
    line = find_line(SEARCH, measure)
    first, second = line.trials[:2]
    assert (second.rate == first.rate) == (engine == "psync")
    if engine == "psync":
        assert (first.held, first.void_reason) == (
            None,
            "it was the first one, and when it was made again at once, the objective held",
        )
        assert line.ci95 is not None
        assert line.ci95[0] <= 61_000 <= line.ci95[1]


def test_a_service_time_beyond_the_limit_is_the_storages() -> None:
    line = find_line(SEARCH, made_up("io_uring", 0.3, 0.0, held_below=0.0, served_us=1500.0))
    assert line.outcome == "never_held"


def busy_until(controls: int, held_below: float) -> Any:
    """The host is busy until it was looked at so often; what is measured meanwhile is spoilt at any rate."""
    busy, quiet = (made_up("io_uring", 0.3, 0.0, below) for below in (0.0, held_below))
    seen = 0

    def measure(**asked: Any) -> Cell:
        nonlocal seen
        seen += asked["rate"] == SEARCH.start_rate / 20
        return (busy if seen < controls else quiet)(**asked)

    return measure


def test_the_search_waits_for_a_quiet_moment_within_its_budget() -> None:
    line = find_line(replace(SEARCH, budget_s=60.0), busy_until(5, 61_000))
    assert line.outcome == "found"
    assert line.ci95 is not None
    assert line.ci95[0] <= 61_000 <= line.ci95[1]
    assert [control.held for control in line.controls][:5] == [False] * 4 + [True]
    assert "a control trial at 5,000" in next(t.void_reason or "" for t in line.trials if t.held is None)
    late = find_line(replace(SEARCH, budget_s=10.0), busy_until(50, 61_000))
    assert (late.outcome, late.line_iops) == ("unsteady", None)


def test_a_target_that_is_slowed_down_under_the_search_is_never_a_line() -> None:
    early, late = (made_up("io_uring", 0.3, 0.0, below) for below in (80_000.0, 35_000.0))
    count = 0

    def measure(**asked: Any) -> Cell:
        nonlocal count
        count += 1
        return (early if count < 9 else late)(**asked)

    line = find_line(SEARCH, cast(Any, measure))
    assert (line.outcome, line.line_iops, line.ci95) == ("unsteady", None, None)
    assert "the target changed under the search" in line.reason


def test_a_budget_too_short_for_a_trial_says_so() -> None:
    search = replace(SEARCH, budget_s=0.5)
    line = find_line(search, made_up("io_uring", 0.3, 0.0, held_below=61_000))
    assert (line.outcome, line.line_iops, line.trials) == ("unsteady", None, ())
    assert "of the budget of 0.5 s 0.5 s are left; no trial told anything" in line.reason


@pytest.mark.parametrize("budget_s", [3.0, 6.0, 10.0, 20.0])
def test_a_budget_gives_the_best_interval_so_far(budget_s: float) -> None:
    line = find_line(replace(SEARCH, budget_s=budget_s), made_up("io_uring", 0.3, 0.0, held_below=61_000))
    spent_s = sum(t.cell.runtime_s + t.cell.warm_up_s for t in (*line.trials, *line.controls))
    assert spent_s <= budget_s + 1.0
    if line.line_iops is None:
        assert "the budget of" in line.reason
        return
    if line.outcome == "not_limited":
        assert line.line_iops <= 61_000
        assert "the budget of" in line.reason
        assert "at or above it" in line.reason
        return
    assert line.ci95 is not None
    assert line.ci95[0] <= 61_000 <= line.ci95[1]
