"""The line search on simulated devices: it finds what queueing theory says, and says plainly when there is nothing to find."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import simulated_cells
from plimsoll.base.limits import HOPELESS_FACTOR
from plimsoll.facts import Line, Plan, PlanGroup, Remark, Slo
from plimsoll.supply.line import Search, find_line
from plimsoll.supply.readings import worst
from plimsoll.supply.slo import parse_slo
from plimsoll.supply.workloads import workload
from simulated import context, find, find_with, queue_line

# 200,000 I/Os make a trial exact within three percent; the default is ten times that.
FAST: dict[str, Any] = {"trial_s": 20.0}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("slo", "quantile", "limit_us", "seed", "asked"),
    [
        ("p99=1ms", 0.99, 1000.0, 1, {}),
        ("p99=1ms", 0.99, 1000.0, 2, FAST),
        ("p99=600us", 0.99, 600.0, 3, FAST),
        ("p99=5ms", 0.99, 5000.0, 4, FAST),
        ("p99.9=2ms", 0.999, 2000.0, 5, FAST),
        ("p50=200us", 0.5, 200.0, 6, FAST),
    ],
)
def test_an_mm1_queues_line_is_found_within_five_percent(
    tmp_path: Path, slo: str, quantile: float, limit_us: float, seed: int, asked: dict[str, Any]
) -> None:
    """The first in trials of the default length, the others in shorter ones."""
    line = find(tmp_path, "sim:law=exponential,mean=100us", slo, seed=seed, **asked)
    truth = queue_line(100.0, quantile, limit_us)
    assert line.outcome == "found"
    assert line.line_iops is not None
    assert line.ci95 is not None
    assert line.line_iops == pytest.approx(truth, rel=0.05)
    assert line.ci95[0] <= line.line_iops <= line.ci95[1]
    assert line.ci95[0] * 0.98 < truth < line.ci95[1] * 1.02


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "trial_s"), [("p99=1ms", 20.0), ("p99=5ms", 20.0)])
def test_the_safe_rate_holds_in_fresh_trials_and_a_seventh_more_does_not(
    tmp_path: Path, limit: str, trial_s: float
) -> None:
    line = find(tmp_path, "sim:mean=100us", limit, trial_s=trial_s, seed=11)
    assert line.safe_iops is not None
    slo = parse_slo(limit)
    with context(tmp_path) as ctx:
        measure = measurer(ctx, "sim:mean=100us")
        held = [
            [judged(measure, slo, rate, trial_s, seed) for seed in range(900, 905)]
            for rate in (line.safe_iops, 1.15 * line.safe_iops)
        ]
    assert sum(held[0]) >= 4
    assert sum(held[1]) <= 1


def judged(measure: Any, slo: Slo, rate: float, runtime_s: float, seed: int) -> bool:
    """Whether a fresh trial holds."""
    cell = measure(
        rate=rate,
        runtime_s=runtime_s,
        warm_up_s=0.3,
        window_s=runtime_s / 10,
        give_up_latency_us=1e9,
        seed=seed,
    )
    return (cell.latency_us.p99 or 0.0) <= slo.objectives[0].limit_us


def test_at_any_speed_of_the_device(tmp_path: Path) -> None:
    for mean_us, limit in ((10_000.0, "100ms"), (2.0, "20us")):
        line = find(tmp_path, f"sim:mean={mean_us}us", f"p99={limit}", trial_s=mean_us / 2)
        assert line.line_iops == pytest.approx(queue_line(mean_us, 0.99, mean_us * 10), rel=0.05)


def test_a_cliff_is_found_at_its_edge(tmp_path: Path) -> None:
    """Constant service never waits much until it is overrun: the p99 of M/D/1 at 95 % of capacity is about 45 service times."""
    line = find(tmp_path, "sim:law=constant,mean=100us", "p99=20ms", trial_s=50.0)
    assert line.outcome == "found"
    assert line.line_iops is not None
    assert 9_700 < line.line_iops < 10_000


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_a_queue_that_only_grows_is_beyond_the_line_however_loose_the_objective(
    tmp_path: Path, seed: int
) -> None:
    """At 2 % too much a queue takes twelve seconds to make p99 250 ms, longer than any trial: the objective held in it."""
    line = find(tmp_path, "sim:law=constant,mean=500us", "p99=250ms", trial_s=2.0, seed=seed)
    assert line.outcome == "found"
    assert line.line_iops == pytest.approx(2_000, rel=0.05)
    grown = [trial for trial in line.trials if trial.held is False and trial.void_reason]
    assert all("still rising" in (trial.void_reason or "") for trial in grown)


@pytest.mark.parametrize("trial_s", [0.02, 0.1, 1.0])
def test_what_was_never_submitted_did_not_hold(tmp_path: Path, trial_s: float) -> None:
    """In a trial of 20 ms nothing has waited for a second, and at a hundred times too much nothing that was due has ended."""
    line = find(tmp_path, "sim:mean=100us", "p99=1s", trial_s=trial_s)
    assert line.outcome != "not_limited"
    assert all(trial.held is not True for trial in line.trials if trial.rate > 20_000)
    assert line.line_iops is None or line.line_iops < 11_500


def test_what_is_still_on_its_way_at_the_end_is_not_missing(tmp_path: Path) -> None:
    """A thousand at once that take a second each: half of what is due in two seconds ends after them."""
    line = find(tmp_path, "sim:law=constant,mean=1s,servers=1000", "p99=2s", trial_s=2.0)
    assert any(trial.held for trial in line.trials if trial.rate > 500)


def test_trials_are_long_enough_for_their_quantile_and_lie_on_both_sides(tmp_path: Path) -> None:
    line = find(tmp_path, "sim:mean=100us", "p99.9=2ms", **FAST)
    assert line.line_iops is not None
    for trial in line.trials:
        if not trial.cell.ended_early:
            least = 10 if trial.phase in ("bracket", "narrow") else 30
            assert trial.cell.ios >= 0.98 * least / (1 - 0.999)
            assert len(trial.cell.windows) == 10
    rates = [trial.rate for trial in line.trials]
    assert min(rates) < line.line_iops < max(rates)
    confirming = [trial.held for trial in line.trials if trial.phase == "confirm"][-3:]
    assert sum(bool(held) for held in confirming) >= 2


def test_equal_seeds_give_equal_lines(tmp_path: Path) -> None:
    first, again, other = (find(tmp_path, "sim:mean=100us", seed=seed, trial_s=5.0) for seed in (7, 7, 8))
    assert without_the_machines_share(first) == without_the_machines_share(again)
    assert without_the_machines_share(first) != without_the_machines_share(other)


def test_a_device_that_is_too_slow_never_holds(tmp_path: Path) -> None:
    line = find(tmp_path, "sim:mean=100us", "p99=300us", trial_s=5.0)
    assert (line.outcome, line.line_iops, line.ci95) == ("never_held", None, None)
    assert line.reason.startswith("the objective p99=300us was never held: at ")
    assert "the lowest rate tried, p99 was " in line.reason
    assert line.limiting_class == "read"


def test_rates_that_would_take_too_long_are_not_tried(tmp_path: Path) -> None:
    """A disk of a hundred I/Os per second that is ten times too slow: p99 needs 3,000 I/Os, at 12 per second four minutes."""
    with context(tmp_path) as ctx:
        search = Search(parse_slo("p99=1ms"), workload("randread", 8192), 100.0, trial_s_max=150.0)
        line = find_line(search, measurer(ctx, "sim:law=constant,mean=10ms"))
    assert line.outcome == "never_held"
    assert [trial.rate for trial in line.trials] == [25.0]


def test_the_shortcoming_is_that_of_the_objective(tmp_path: Path) -> None:
    assert (
        "read p99.9 was " in find(tmp_path, "sim:mean=100us", "p50=1s,read.p99.9=300us", trial_s=5.0).reason
    )


def test_failing_ios_hold_no_objective_and_are_named(tmp_path: Path) -> None:
    line = find(tmp_path, "sim:mean=100us,error=0.001", "p99=1ms", trial_s=5.0)
    assert line.outcome == "never_held"
    assert line.reason.endswith(" I/Os failed")


def test_a_device_that_is_never_brought_to_its_limit_says_so(tmp_path: Path) -> None:
    """Sixty-four servers: p99 holds at every rate that may be tried."""
    with context(tmp_path) as ctx:
        search = Search(
            slo=parse_slo("p99=10ms"),
            workload=workload("randread", 8192),
            start_rate=20_000,
            trial_s=2.0,
            rate_max=50_000.0,
        )
        line = find_line(search, measurer(ctx, "sim:law=constant,mean=100us,servers=64"))
    assert line.outcome == "not_limited"
    assert line.line_iops == 50_000.0
    assert "never brought to its limit" in line.reason
    assert "the highest rate tried" in line.reason


def test_burst_credit_does_not_make_a_line(tmp_path: Path) -> None:
    """The first hundred thousand I/Os of every trial are ten times faster; what lasts is the line without them."""
    line = find(tmp_path, "sim:mean=100us,burst_ios=100000,burst_mean=10us", "p99=1ms", trial_s=60.0)
    void = [trial for trial in line.trials if trial.held is None]
    assert any("burst credit" in (trial.void_reason or "") for trial in void)
    assert line.line_iops == pytest.approx(queue_line(100.0, 0.99, 1000.0), rel=0.08)
    assert [note.message for note in line.notes if note.code == "void-trials"]


def test_an_interrupted_search_keeps_its_trials(tmp_path: Path) -> None:
    with context(tmp_path) as ctx:
        heard = 0

        def listen(event: Any) -> None:
            nonlocal heard
            heard += isinstance(event, Remark)
            if heard == 4:
                ctx.cancel.set()

        object.__setattr__(ctx, "events", listen)
        line = find_with(ctx, "sim:mean=100us", **FAST)
    assert line.outcome == "interrupted"
    assert line.line_iops is None
    assert len(line.trials) == 4
    assert "after 4 trials" in line.reason


def test_each_class_may_have_its_own_objective(tmp_path: Path) -> None:
    line = find(
        tmp_path,
        "sim:mean=100us",
        "read.p99=10ms,write.p99=1ms",
        rw="randrw",
        read_share=0.7,
        **FAST,
    )
    assert line.limiting_class == "write"
    assert line.line_iops == pytest.approx(queue_line(100.0, 0.99, 1000.0), rel=0.05)


def test_the_listener_hears_of_every_trial_and_how_many_are_to_come(tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    with context(tmp_path) as ctx:
        search = Search(parse_slo("p99=1ms"), workload("randread", 8192), 10_000.0, trial_s=20.0)
        line = find_line(
            search,
            measurer(ctx, "sim:mean=100us"),
            on_trial=lambda trial, expected: heard.append((len(heard) + 1, expected)),
        )
    assert len(heard) == len(line.trials)
    assert all(done <= expected for done, expected in heard)


def measurer(ctx: Any, target: str) -> Any:
    """A measurement of a simulated target, as the flow makes it."""
    from plimsoll.flows.line import _measurer
    from plimsoll.supply.targets import Wish, on_opened, opened

    with opened(ctx, Wish(target)) as made:
        group = PlanGroup.of(workload("randread", 8192), "sim", depth=512)
        return _measurer(ctx, made, on_opened(Plan(groups=(group,)), made))


def without_the_machines_share(line: Line) -> Any:
    """The facts of a line without what depends on the machine: when, and at what cost of CPU time."""
    document = line.model_dump(mode="json")
    for trial in document["trials"]:
        for name in (
            "started_at",
            "cpu_s",
            "cpu_us_per_io",
            "context_switches",
            "processor_wait_share",
            "cpu_threads_s",
        ):
            trial["cell"].pop(name)
    return document


def test_of_several_objectives_the_worst_one_limits_also_where_a_trial_was_given_up(tmp_path: Path) -> None:
    """All count as far beyond then; the first named is not therefore the one that limits."""
    cell, _ = simulated_cells.measured(tmp_path, "sim:mean=100us", runtime_s=0.1)
    slo = parse_slo("read.p99=10s,read.p50=500us")
    found, ratio = worst(slo, cell.model_copy(update={"ended_early": "gave_up"}))
    assert found == slo.objectives[1]
    assert ratio == HOPELESS_FACTOR


@pytest.mark.parametrize("trial_s", [0.5, 2.0, 8.0, 30.0])
def test_the_answer_does_not_depend_on_the_length_of_a_trial(tmp_path: Path, trial_s: float) -> None:
    """Nine of ten trials held at 4,660 in trials of half a second, and at 5,259 in those of thirty."""
    truth = queue_line(100.0, 0.99, 1000.0)
    lines = [find(tmp_path, "sim:mean=100us", trial_s=trial_s, seed=seed) for seed in (1, 2, 3)]
    assert sum(line.ci95 is not None and line.ci95[0] <= truth <= line.ci95[1] for line in lines) >= 2
    assert sum(line.line_iops or 0.0 for line in lines) / 3 == pytest.approx(truth, rel=0.04)


def test_four_of_five_and_more_of_the_intervals_hold_the_truth(tmp_path: Path) -> None:
    """A small one of `bench/line_coverage.py`, in virtual time and with the budget of a real target."""
    cases = [
        ("sim:mean=100us", "p99=1ms", queue_line(100.0, 0.99, 1000.0)),
        ("sim:mean=1ms", "p99=10ms", queue_line(1000.0, 0.99, 10_000.0)),
    ]
    covered = 0
    for target, slo, truth in cases:
        for seed in range(1, 11):
            line = find(tmp_path, target, slo, seed=seed, budget_s=60.0)
            assert line.ci95 is not None, line.reason
            assert line.safe_iops == line.ci95[0]
            covered += line.ci95[0] <= truth <= line.ci95[1]
    assert covered >= 17
