"""The load line: what stands where, for a line that was found and for those that were not."""

from __future__ import annotations

from typing import Any

import pytest

import facts_builder
import facts_runs
from plimsoll import charts
from plimsoll.charts import Subject
from plimsoll.charts._values import focus, objective_text, quantile_us, telling_trials
from plimsoll.facts import LatencyUs, Objective, Run, Slo

CHART = charts.load("load-line")


def layers(run: Run) -> list[dict[str, Any]]:
    """Each layer's mark and its data, in place."""
    spec = CHART.draw(Subject(run), 700).to_dict()
    data = spec.get("datasets", {})
    return [layer | {"values": values_of(layer["data"], data)} for layer in spec["layer"]]


def values_of(data: dict[str, Any], datasets: dict[str, Any]) -> list[dict[str, Any]]:
    return datasets[data["name"]] if "name" in data else data["values"]


def marks(run: Run, kind: str, **with_: Any) -> list[dict[str, Any]]:
    found = [layer for layer in layers(run) if layer["mark"]["type"] == kind]
    return [layer for layer in found if all(layer["mark"].get(key) == value for key, value in with_.items())]


def trials_drawn(run: Run, shape: str) -> list[dict[str, Any]]:
    return [value for layer in marks(run, "point", shape=shape) for value in layer["values"]]


CROSS = "M-.7,-.7L.7,.7M.7,-.7L-.7,.7"


def test_each_trial_stands_at_its_rate_with_a_shape_for_its_outcome() -> None:
    run = facts_runs.demo_run()
    assert run.line is not None
    for shape, held in (("circle", True), (CROSS, False), ("diamond", None)):
        wanted = sorted((t.rate, t.latency_us.p99) for t in run.line.trials if t.held is held)
        assert sorted((value["x"], value["y"]) for value in trials_drawn(run, shape)) == wanted


def test_the_interval_is_a_band_and_line_and_demand_are_rules() -> None:
    run = facts_runs.demo_run()
    (band,) = marks(run, "rect")
    assert band["values"] == [{"x": 55_400.0, "x2": 56_800.0}]
    upright = [layer["values"][0]["x"] for layer in marks(run, "rule") if "x" in layer["encoding"]]
    assert upright == [56_000.0, 24_500.0]


def test_the_objective_is_a_level_rule_with_its_words() -> None:
    level = [layer for layer in marks(facts_runs.demo_run(), "rule") if "x" not in layer["encoding"]]
    assert [layer["values"][0]["y"] for layer in level] == [1000.0]
    assert level[0]["values"][0]["text"] == "objective: p99 ≤ 1 ms"


def test_void_trials_bend_no_curve_and_repeats_count_by_their_median() -> None:
    run = facts_runs.demo_run()
    assert run.line is not None
    void = {trial.rate for trial in run.line.trials if trial.held is None}
    for curve in marks(run, "line"):
        rates = [value["x"] for value in curve["values"]]
        assert rates == sorted(set(rates))
        assert not void & set(rates)


def test_trials_at_nearly_one_rate_are_one_point_of_a_curve_at_their_medians() -> None:
    rates = (10_000.0, 10_200.0, 10_390.0, 11_000.0)
    trials = tuple(facts_builder.trial(rate) for rate in rates)
    run = facts_runs.line_run(facts_builder.line().model_copy(update={"trials": trials}))
    for curve in marks(run, "line"):
        assert [value["x"] for value in curve["values"]] == [10_200.0, 11_000.0]
    assert len(trials_drawn(run, "circle")) == 4


def test_without_a_demand_there_is_no_rule_for_it() -> None:
    upright = [layer for layer in marks(facts_runs.line_run(), "rule") if "x" in layer["encoding"]]
    assert [layer["values"][0]["x"] for layer in upright] == [56_000.0]


def test_a_demand_far_beyond_every_trial_is_told_in_words_alone() -> None:
    run = facts_runs.assess_run_no()
    assert run.verdict is not None
    far = run.model_copy(update={"verdict": run.verdict.model_copy(update={"asked_iops": 9e6})})
    upright = [layer["values"][0]["x"] for layer in marks(far, "rule") if "x" in layer["encoding"]]
    assert upright == [56_000.0]
    assert "The demand is 9,000,000 I/Os per second." in CHART.words(Subject(far))


def test_halvings_to_no_avail_are_drawn_by_their_halvings() -> None:
    deep = [facts_builder.trial(4_000.0 / 2**step, "bracket", facts_builder.slo(50.0)) for step in range(8)]
    line = facts_builder.line_never_held().model_copy(update={"trials": tuple(deep)})
    scale = marks(facts_runs.line_run(line), "line")[0]["encoding"]["x"]["scale"]
    assert scale["type"] == "log"
    assert scale["domain"][0] < deep[-1].rate
    assert marks(facts_runs.demo_run(), "line")[0]["encoding"]["x"]["scale"]["domain"][0] == 0


def test_a_lower_bound_is_said_as_one() -> None:
    run = facts_runs.line_run(facts_builder.line_not_limited())
    assert "The line is at least 32,000 I/Os per second." in CHART.words(Subject(run))
    texts = {value.get("text") for layer in layers(run) for value in layer["values"]}
    assert "line at least 32,000/s" in texts


def test_an_objective_of_a_class_is_read_from_that_class() -> None:
    line = facts_builder.line()
    of_redo = Objective(io_class="redo_write", quantile=0.99, limit_us=2000.0)
    of_reads = Objective(io_class="small_read", quantile=0.999, limit_us=9000.0)
    line = line.model_copy(update={"slo": Slo(text="both", objectives=(of_reads, of_redo))})
    assert focus(line) == of_redo
    curve = marks(facts_runs.line_run(line), "line")[1]["values"]
    trial = line.trials[0]
    redo = next(result for result in trial.cell.classes if result.name == "redo_write")
    assert curve[0] == {"x": trial.rate, "y": redo.latency_us.p99}


def test_a_quantile_that_is_not_kept_is_unknown() -> None:
    latency = LatencyUs(count=10, p50=5.0, p99=None)
    assert quantile_us(latency, 0.5) == 5.0
    assert quantile_us(latency, 0.99) is None
    assert quantile_us(latency, 0.95) is None
    assert quantile_us(None, 0.5) is None


@pytest.mark.parametrize(
    ("objective", "short", "long"),
    [
        (Objective(quantile=0.99, limit_us=1000), "p99 ≤ 1 ms", "99 of 100 I/Os within 1 ms"),
        (Objective(quantile=0.999, limit_us=85), "p99.9 ≤ 85 µs", "999 of 1,000 I/Os within 85 µs"),
        (Objective(quantile=0.5, limit_us=1e6), "p50 ≤ 1 s", "half of the I/Os within 1 s"),
        (
            Objective(io_class="redo_write", quantile=0.9, limit_us=2000),
            "redo_write p90 ≤ 2 ms", "9 of 10 redo write I/Os within 2 ms",
        ),
    ],
)  # fmt: skip
def test_objectives_in_words(objective: Objective, short: str, long: str) -> None:
    assert objective_text(objective) == short
    assert objective.words == long


def test_the_telling_trials_lie_near_the_demand_at_the_line_and_beyond() -> None:
    line = facts_builder.line()
    near, at, beyond = telling_trials(line, 17_000.0)
    assert (near.rate, at.rate) == (16_000.0, 56_000.0)
    assert beyond.held is False
    assert beyond.worst_ratio >= 1.5
    assert [trial.rate for trial in telling_trials(facts_builder.line_never_held(), None)] == [500.0]


def test_a_lucky_trial_far_beyond_the_line_does_not_stand_for_it() -> None:
    line = facts_builder.line()
    lucky = facts_builder.trial(48_000.0).model_copy(update={"rate": 80_000.0})
    noisy = line.model_copy(update={"trials": (*line.trials, lucky)})
    assert [trial.rate for trial in telling_trials(noisy, 17_000.0)][1] == 56_000.0


def test_a_demand_in_bursts_is_shown_as_the_product_that_it_is() -> None:
    run = facts_runs.assess_run_no()
    assert run.verdict is not None
    bursts = run.verdict.model_copy(
        update={"demand_iops": 20_000.0, "burst_factor": 3.0, "asked_iops": 60_000.0}
    )
    shown = CHART.words(Subject(run.model_copy(update={"verdict": bursts})))
    assert "The demand is 20,000 × 3 = 60,000 I/Os per second." in shown


def test_percentiles_are_told_apart_by_their_stroke() -> None:
    strokes = [str(layer["mark"]["strokeDash"]) for layer in marks(facts_runs.demo_run(), "line")]
    assert len(strokes) == len(set(strokes)) == 3


def test_an_objective_of_another_percentile_has_its_curve_with_the_trials_on_it() -> None:
    found = facts_builder.line()
    objective = found.slo.objectives[0].model_copy(update={"quantile": 0.95, "limit_us": 800.0})
    slo = found.slo.model_copy(update={"objectives": (objective,), "text": "p95=800us"})
    line = found.model_copy(update={"slo": slo})
    curves = marks(facts_runs.line_run(line), "line")
    assert len(curves) == 4
    dots = trials_drawn(facts_runs.line_run(line), "circle")
    held = [trial for trial in line.trials if trial.held]
    assert [dot["y"] for dot in dots] == pytest.approx([trial.worst_ratio * 800.0 for trial in held])
