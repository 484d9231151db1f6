"""Runs beside each other: every kind, intervals worked by hand, and what may be called better."""

from __future__ import annotations

from math import exp, log
from typing import Any

import pytest

import facts_builder
import facts_runs
from plimsoll.base.errors import UsageError
from plimsoll.facts import Arrivals, Check, Comparison, CpuUse, Run
from plimsoll.results import Side, answer, compare_runs, comparison_blocks, kinds
from plimsoll.results._compared import shown
from plimsoll.results._comparing import percent

_NOTHING_TO_COMPARE = {
    "memory_cut",
    "rungs_none",
    "heated_unknown",
    "never_held",
    "interrupted",
    "sparse",
    "settled",
    "settled_no",
}
"""A line that is not there, and what became of a verdict."""


def io(iops: float, name: str = "a", **cell: Any) -> Run:
    run = facts_runs.io_run()
    assert run.cell is not None
    return run.model_copy(
        update={"id": f"{name}{iops:g}", "cell": run.cell.model_copy(update={"iops": iops, **cell})}
    )


def sides(*runs: tuple[Run, ...]) -> Comparison:
    return compare_runs([Side(letter, of) for letter, of in zip("ABCD", runs, strict=False)])


@pytest.mark.parametrize("name", facts_runs.all_runs())
def test_a_run_of_any_kind_beside_its_like_differs_in_nothing(name: str) -> None:
    run = facts_runs.all_runs()[name]
    like = run.model_copy(update={"id": "other"})
    if name in _NOTHING_TO_COMPARE:
        with pytest.raises(UsageError) as refused:
            sides((run,), (like,))
        assert refused.value.id == "compare-none"
        return
    found = sides((run,), (like,))
    assert found.settings == ()
    assert all(change.told in ("same", "unknown") for one in found.figures for change in one.changes)
    assert all(change.share in (0.0, None) for one in found.figures for change in one.changes)
    assert comparison_blocks(found)


def test_every_kind_that_measures_can_be_compared() -> None:
    """Those that cannot never speak for a run, or rest on another kind."""
    without = {name for name, kind in kinds().items() if kind.compared is None}
    assert without == {
        "consolidation",
        "failover",
        "prediction",
        "replay",
        "report_tables",
        "settlement",
        "unread",
        "work_window",
    }


def test_what_became_of_a_verdict_names_what_shows_several() -> None:
    settled = facts_runs.settle_run()
    with pytest.raises(UsageError) as refused:
        sides((settled,), (settled.model_copy(update={"id": "other"}),))
    assert refused.value.hint is not None
    assert "plimsoll store predictions" in refused.value.hint
    with pytest.raises(UsageError) as refused:
        sides((io(1.0).model_copy(update={"cell": None}),), (io(2.0),))
    assert refused.value.hint == "Name runs with figures; see `plimsoll store list`."


def test_an_interval_worked_by_hand() -> None:
    """Logs 0 and 1 above 10,000 against 3 and 4: variances 0.5, error 0.7071, two degrees of freedom, t = 4.303."""
    first = tuple(io(10_000 * exp(power)) for power in (0, 1))
    second = tuple(io(10_000 * exp(power)) for power in (6, 7))
    (change,) = sides(first, second).figures[0].changes
    half = 4.302653 * 0.5**0.5
    assert change.share == pytest.approx(exp(6) - 1)
    assert change.ci95 is not None
    assert [log(1 + end) for end in change.ci95] == pytest.approx([6 - half, 6 + half], rel=1e-4)
    assert (change.basis, change.told, change.is_better) == ("runs", "more", True)


def test_one_run_each_says_nothing() -> None:
    found = sides((io(10_000),), (io(90_000),))
    assert found.headline == "I/Os per s: 10,000 and 90,000; one run each: no statement"
    assert {change.told for one in found.figures for change in one.changes} == {"unknown"}
    assert any("join repeats with commas" in remark for remark in found.remarks)
    uneven = sides((io(10_000), io(10_010)), (io(90_000),))
    assert uneven.headline.endswith("; not repeated on every side: no statement")


def test_a_change_is_that_of_the_figures_beside_it() -> None:
    """1,000 and 9,000 against twice 4,000: their arithmetic mean falls, and their ratio would rise."""
    found = sides((io(1_000), io(9_000)), (io(4_000), io(4_000, "b")))
    rate = found.figures[0]
    first, second = (one.value for one in rate.sides)
    assert first is not None
    assert second is not None
    assert rate.changes[0].share == pytest.approx(second / first - 1)
    assert rate.sides[0].ci95 is not None
    assert rate.sides[0].ci95[0] > 0


def test_what_is_left_of_a_rate_is_no_fall_by_all() -> None:
    assert [percent(share) for share in (-0.9986, -1.0, -0.5)] == ["-99.9 %", "-100 %", "-50 %"]


def test_failed_ios_under_a_verdict_are_in_the_first_line() -> None:
    run = facts_runs.all_runs()["demo"]
    assert run.line is not None
    trial = run.line.trials[0]
    failing = trial.model_copy(update={"cell": trial.cell.model_copy(update={"errors": 3})})
    line = run.line.model_copy(update={"trials": (failing,), "outcome": "found"})
    other = run.model_copy(update={"id": "b", "line": line})
    assert "I/Os failed in 1 of " in sides((run,), (other,)).headline
    assert "; I/Os failed in 1 of " in answer(other)


def judged(found: Comparison) -> dict[str, bool | None]:
    return {one.name: one.changes[0].is_better for one in found.figures}


def test_less_latency_and_less_processor_time_are_better() -> None:
    slow = facts_builder.latency_at(40_000, stretch=2.0)
    first = tuple(io(1000 + at, cpu_us_per_io=9.0 + at / 100, latency_us=slow) for at in range(3))
    second = tuple(io(2000 + at, "b", cpu_us_per_io=5.0 + at / 100) for at in range(3))
    told = judged(sides(first, second))
    assert told["cell.held_iops"] is told["cell.cpu_us_per_io"] is told["cell.latency_us.p99"] is True
    back = judged(sides(second, first))
    assert back["cell.held_iops"] is back["cell.cpu_us_per_io"] is back["cell.latency_us.p99"] is False


def test_a_rate_that_was_asked_for_is_neither_better_nor_worse() -> None:
    asked = Arrivals(kind="poisson", rate_per_s=1000.0)
    first = tuple(io(1000 + at, arrivals=asked) for at in range(3))
    second = tuple(io(1020 + at, "b", arrivals=asked) for at in range(3))
    found = sides(first, second)
    assert found.figures[0].name.startswith("cell.latency_us")
    (rate,) = [one for one in found.figures if one.name == "cell.held_iops"]
    assert (rate.better_when, rate.changes[0].told, rate.changes[0].is_better) == (None, "more", None)
    free = sides(first, tuple(io(1020 + at, "b") for at in range(3)))
    assert set(judged(free).values()) == {None}


def test_other_work_is_named_first_and_not_judged() -> None:
    first = tuple(io(1000 + at, depth=1) for at in range(3))
    second = tuple(io(2000 + at, "b", depth=32, engine="psync") for at in range(3))
    found = sides(first, second)
    assert [(one.name, one.values, one.is_work) for one in found.settings] == [
        ("depth", ("1", "32"), True),
        ("engine", (first[0].cell and first[0].cell.engine, "psync"), False),
    ]
    assert set(judged(found).values()) == {None}
    assert "the work is not the same" in found.remarks[0]


def test_a_failed_check_is_in_the_first_line() -> None:
    wrong = Check(name="cached", passed=False, reason="a cache answered")
    found = sides((io(1000),), (io(9000, checks=(wrong,)),))
    assert not found.is_valid
    assert found.headline.startswith("not valid, B: the check cached failed: a cache answered. I/Os per s: ")
    cut = io(9000).model_copy(update={"interrupted": True})
    assert sides((io(1000),), (cut,)).headline.startswith("not valid, B: it was interrupted. ")


def test_a_bound_is_no_value() -> None:
    line, bound = facts_runs.line_run(), facts_runs.line_run(facts_builder.line_not_limited())
    found = sides((line,), (bound.model_copy(update={"id": "b"}),))
    assert found.headline.endswith("; one is a bound: no statement")


@pytest.mark.parametrize(
    ("one", "other"), [("line", "io"), ("prove_slob", "prove_order_entry"), ("demo", "line")]
)
def test_different_things_are_not_compared(one: str, other: str) -> None:
    runs = facts_runs.all_runs()
    with pytest.raises(UsageError) as refused:
        sides((runs[one],), (runs[other],))
    assert refused.value.id == "compare-unlike"
    assert "measured different things" in refused.value.message


def test_settings_of_servers_are_named_but_for_where_they_listen() -> None:
    run = facts_runs.all_runs()["prove_slob"]
    assert run.proof is not None

    def of(settings: dict[str, str] | None) -> tuple[Run, ...]:
        assert run.proof is not None
        proof = run.proof.model_copy(update={"server_settings": settings})
        return (run.model_copy(update={"id": str(settings), "proof": proof}),)

    found = sides(of({"fsync": "off", "port": "1"}), of({"port": "2"}))
    assert [(one.name, one.values) for one in found.settings] == [("fsync of the server", ("off", None))]
    assert [one.name for one in sides(of(None), of({})).settings] == ["settings of the server"]


def test_times_below_a_microsecond_differ_where_their_change_says_so() -> None:
    assert [shown(value, "us") for value in (0.15, 0.24, 0.99, 1.0, 21.38)] == [
        "0.15 µs", "0.24 µs", "0.99 µs", "1.0 µs", "21 µs"
    ]  # fmt: skip


def test_writes_of_another_durability_are_another_work() -> None:
    found = sides((io(1000.0, stable="none"),), (io(500.0, stable="file", name="b"),))
    (setting,) = found.settings
    assert (setting.name, setting.values) == ("stable", ("none", "file"))


def beside_others(name: str, others_share: float | None) -> Run:
    run = facts_runs.prove_run(name)
    assert run.proof is not None
    use = None if others_share is None else CpuUse(server_share=0.2, own_share=0.1, others_share=others_share)
    return run.model_copy(update={"proof": run.proof.model_copy(update={"cpu_use": use})})


@pytest.mark.parametrize("name", ["slob", "tpch"])
@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (0.45, 0.03, "45 % of the CPUs in the first run and 3.0 % in the second"),
        (None, 0.6, "an unknown share of the CPUs in the first run and 60 % in the second"),
        (0.1, 0.0, None),
        (None, None, None),
    ],
)
def test_that_a_proof_ran_beside_other_programs_is_told(
    name: str, first: float | None, second: float | None, told: str | None
) -> None:
    found = sides((beside_others(name, first),), (beside_others(name, second),))
    said = [remark for remark in found.remarks if "other programs" in remark]
    assert said == ([] if told is None else [f"other programs had {told}"])
