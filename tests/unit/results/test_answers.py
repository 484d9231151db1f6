"""The answer in a few words."""

from __future__ import annotations

import pytest

import facts_builder
import facts_runs
import facts_trend
from plimsoll.facts import (
    HeldBack,
    IoClass,
    LatencyUs,
    Line,
    Note,
    Run,
    TrendSeries,
    Trial,
    Verdict,
    Workload,
)
from plimsoll.facts.demand import LOWER_BOUND
from plimsoll.store import summarize
from simulated_cells import failed_check


def _line(**changes: object) -> Run:
    run = facts_runs.line_run()
    assert run.line is not None
    at = {"line_iops": 54_321.0, "ci95": (52_000.0, 57_000.0), **changes}
    return run.model_copy(update={"line": run.line.model_copy(update=at)})


def _cell(**changes: object) -> Run:
    run = facts_runs.io_run()
    assert run.cell is not None
    latency = LatencyUs(count=10, p99=412.4)
    cell = run.cell.model_copy(
        update={"iops": 54_321.0, "mb_per_s": 445.0, "latency_us": latency, "errors": 0, **changes}
    )
    return run.model_copy(update={"cell": cell})


def _unmet() -> Run:
    run = facts_runs.interference_run()
    assert run.interference is not None
    return run.model_copy(update={"interference": run.interference.model_copy(update={"effects": ()})})


def _verdict(**changes: object) -> Run:
    base = {"carries": True, "headroom": 2.34, "limiting_class": None, "line_iops": 1.0, "demand_iops": 1.0}
    verdict = Verdict.model_validate({**base, "reason": "because", "slo": "p99=1ms", **changes})
    return facts_runs.line_run().model_copy(update={"verdict": verdict})


def _failing() -> tuple[Trial, ...]:
    run = facts_runs.line_run()
    assert run.line is not None
    trial = run.line.trials[0]
    return (trial.model_copy(update={"cell": trial.cell.model_copy(update={"errors": 3})}),)


KEPT_UP = (failed_check("kept_up"), failed_check("errors"), failed_check("drift"))
NOISY = (failed_check("drift"),)
LARGE = Workload(name="scan", classes=(IoClass(name="read", op="read", block_bytes=1 << 20, weight=1),))


@pytest.mark.parametrize(
    ("run", "result"),
    [
        (_cell(), "54,300 IOPS, p99 412 µs"),
        (facts_runs.interference_run(), "at worst p99 at least × 6.2: oltp read beside scans"),
        (_unmet(), "no pair was measured"),
        (_cell(errors=3), "54,300 IOPS, p99 412 µs, 3 errors"),
        (_cell(checks=KEPT_UP), "54,300 IOPS, p99 412 µs, not valid: kept up"),
        (_cell(checks=NOISY), "54,300 IOPS, p99 412 µs"),
        (_cell(workload=LARGE), "445 MB/s, p99 412 µs"),
        (_cell(latency_us=LatencyUs(count=0)), "54,300 IOPS, p99 unknown"),
        (_line(outcome="found"), "line 54,300 IOPS, safe 52,000 at p99=1ms"),
        (
            _line(outcome="found", confirmed=False),
            "line 54,300 IOPS, safe 52,000 (not confirmed) at p99=1ms",
        ),
        (_line(outcome="found", confirmed=True), "line 54,300 IOPS, safe 52,000 at p99=1ms"),
        (_line(outcome="found", trials=_failing()), "line 54,300 IOPS, safe 52,000 at p99=1ms, 3 errors"),
        (_line(outcome="not_limited"), "line at least 54,300 IOPS at p99=1ms"),
        (_line(outcome="never_held", line_iops=None), "p99=1ms never held"),
        (_line(outcome="unsteady", line_iops=None), "cannot tell where the line is"),
        (_line(outcome="failed", line_iops=None), "no line, the storage failed"),
        (_line(outcome="interrupted", line_iops=None), "interrupted"),
        (_line(outcome="interrupted"), "interrupted, line so far 54,300 IOPS at p99=1ms"),
        (_verdict(), "carries, headroom 2.3"),
        (_verdict(carries=False, headroom=0.7, limiting_class="log"), "does not carry, headroom 0.70, limited by log"),
        (_verdict(carries=None, headroom=None), "cannot tell"),
        (_verdict(carries=False, headroom=0.997), "does not carry, headroom 0.99"),
        (_verdict(mixes=facts_builder.verdict().mixes[1:]), "carries, headroom at least 2.3"),
        (_verdict(carries=False, headroom=None, moment="2026-11-24T10:00:36Z"), "does not carry, at 2026-11-24 10:00:36"),
        (
            _verdict(moment="2026-11-24T10:00:36Z", carries=False, headroom=0.7, limiting_class="large_read"),
            "does not carry, headroom 0.70 at 2026-11-24 10:00:36, limited by large_read",
        ),
    ],
)  # fmt: skip
def test_each_kind_says_its_answer(run: Run, result: str) -> None:
    assert summarize(run).result == result


def test_every_outcome_of_a_line_has_words() -> None:
    outcomes = Line.model_fields["outcome"].annotation.__args__  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
    results = {summarize(_line(outcome=outcome)).result for outcome in outcomes}
    assert len(results) == len(outcomes)


def test_demand_names_its_peak() -> None:
    run = facts_runs.demand_run()
    assert run.demand is not None
    assert summarize(run).result.startswith("peak 24,500 IOPS, ")
    nothing = run.model_copy(update={"demand": run.demand.model_copy(update={"peak": None})})
    assert summarize(nothing).result == "no demand seen"
    assert run.demand.peak is not None
    wide = run.demand.peak.model_copy(update={"mb_per_s": 1045.3})
    much = run.model_copy(update={"demand": run.demand.model_copy(update={"peak": wide})})
    assert summarize(much).result.endswith(", 1,045.3 MB/s")


def test_a_peak_of_which_a_part_is_unknown_is_at_least_that() -> None:
    run = facts_runs.demand_run()
    assert run.demand is not None
    assert run.demand.peak is not None
    name, known = next(iter(run.demand.peak.classes.items()))
    classes = {**run.demand.peak.classes, name: known.model_copy(update={"ops_per_s": None})}
    in_part = run.demand.peak.model_copy(update={"classes": classes})
    counted = Note(code=LOWER_BOUND, message="requests are counted in part")
    for changed in (
        {"peak": in_part}, {"notes": (counted,)}, {"held_back": HeldBack(is_held_back=True, reason="it waited")},
    ):  # fmt: skip
        lower = run.model_copy(update={"demand": run.demand.model_copy(update=changed)})
        assert summarize(lower).result.startswith("peak at least 24,500 IOPS, ")


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ((), ""),
        ((facts_trend.growing(),), "; 1 more series"),
        ((facts_trend.short(),), "; 1 more series, of which nothing is foretold"),
        ((facts_trend.short(), facts_trend.short()), "; 2 more series, of which nothing is foretold"),
        ((facts_trend.growing(), facts_trend.short()), "; 2 more series, of 1 of which nothing is foretold"),
    ],
)
def test_a_trend_says_that_of_other_series_nothing_is_foretold(
    others: tuple[TrendSeries, ...], told: str
) -> None:
    first = facts_trend.growing()
    run = facts_runs.trend_run().model_copy(update={"trend": facts_trend.trend(first, *others)})
    assert summarize(run).result == f"iops of SHOP: {first.reason}{told}"


def test_a_run_without_any_result_says_so() -> None:
    bare = facts_runs.io_run().model_copy(update={"cell": None, "interrupted": False})
    assert summarize(bare).result == "no result"
    assert summarize(bare.model_copy(update={"interrupted": True})).result == "interrupted before any result"
