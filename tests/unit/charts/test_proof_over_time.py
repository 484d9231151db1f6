"""A proof over time: stacks that add up to its rate, unknown values left open, lanes of one length, long proofs thinned."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import facts_proofs
import facts_runs
from plimsoll import charts
from plimsoll.charts import Subject, _lanes
from plimsoll.charts import proof_over_time as module
from plimsoll.charts._lanes import Curve, Lane, Step
from plimsoll.facts import OperationSlice, Proof, Run

CHART = charts.load("proof-over-time")
ROLES = {"select": "middle", "update": "demand", "commit": "held"}


def run_with(**changes: Any) -> Run:
    return facts_runs.prove_run().model_copy(update={"proof": facts_proofs.slob().model_copy(update=changes)})


def panels(run: Run, width_px: int = 766) -> list[dict[str, Any]]:
    return CHART.draw(Subject(run), width_px).to_dict()["vconcat"]


def domain(panel: dict[str, Any]) -> list[float]:
    return panel["layer"][0]["encoding"]["x"]["scale"]["domain"]


def titles(run: Run) -> list[str]:
    found = []
    for panel in panels(run):
        axes = [layer["encoding"].get("y", {}).get("axis") for layer in panel["layer"]]
        found.append(next(axis["title"] for axis in axes if axis))
    return found


def test_all_lanes_stand_above_one_axis_of_time_and_only_the_last_is_labelled() -> None:
    for width_px in (356, 766):
        shown = panels(facts_runs.prove_run(), width_px)
        assert len({tuple(domain(panel)) for panel in shown}) == 1
        assert len({panel["width"] for panel in shown}) == 1
        labelled = [panel["layer"][0]["encoding"]["x"]["axis"]["labels"] for panel in shown]
        assert labelled == [False] * (len(shown) - 1) + [True]


def test_the_lanes_of_a_proof_with_all_parts() -> None:
    assert titles(facts_runs.prove_run()) == [
        "operations per second", "latency: p99, and p50 dashed", "CPUs, share of their time",
        "device nvme0n1, I/Os per second", "device nvme0n1, wait per I/O", "device nvme0n1, I/Os in flight",
        "some task waited for",
    ]  # fmt: skip


def test_of_a_server_elsewhere_only_its_own_lanes_are_drawn_and_said() -> None:
    run = facts_runs.prove_run("late")
    assert titles(run) == ["operations per second", "latency: p99, and p50 dashed"]
    assert "Of the database's machine nothing is known." in CHART.words(Subject(run))
    assert {row[-4:] for row in CHART.table(Subject(run)).rows} == {("unknown",) * 4}


def test_the_stack_is_as_high_as_all_operations_together_without_commits() -> None:
    proof = facts_proofs.slob()
    lane = module._operations(proof, ROLES, 1)
    assert [curve.name for curve in lane.curves] == ["select", "update"]
    _, tops, _ = _lanes._stacked(lane.curves)
    for second, top in enumerate(tops):
        pieces = [piece for piece in proof.slices if piece.start_s == second and piece.operation != "commit"]
        assert top == pytest.approx(sum(piece.operations for piece in pieces))


def slices(*rows: tuple[str, float, int]) -> tuple[OperationSlice, ...]:
    return tuple(
        OperationSlice(operation=name, start_s=start_s, duration_s=1.0, operations=count)
        for name, start_s, count in rows
    )


def test_an_operation_that_none_ended_in_a_second_is_zero_and_a_second_without_any_is_left_open() -> None:
    proof = facts_proofs.slob().model_copy(
        update={
            "slices": slices(("select", 0, 5), ("update", 0, 2), ("select", 1, 5), ("select", 4, 5), ("update", 4, 1))
        }
    )  # fmt: skip
    lane = module._operations(proof, {"select": "middle", "update": "demand"}, 1)
    assert [step.value for step in lane.curves[1].steps] == [2, 0, 1]
    corners, _, _ = _lanes._stacked(lane.curves)
    assert [(row["x"], row["part"]) for row in corners[0]] == [(0, 0), (1, 0), (2, 0), (4, 1), (5, 1)]


def test_what_is_unknown_breaks_a_curve() -> None:
    steps = [Step(0, 1, 5.0), Step(1, 2, None), Step(2, 3, 7.0), Step(3.1, 4.1, 8.0)]
    found = _lanes._corners(Curve("p99", "middle", steps), positive=True)
    assert [(row["x"], row["y"], row["part"]) for row in found] == [
        (0, 5.0, 0), (1, 5.0, 0), (2, 7.0, 1), (3.1, 8.0, 1), (4.1, 8.0, 1),
    ]  # fmt: skip


def test_a_wait_of_nothing_has_no_place_on_a_logarithmic_axis() -> None:
    lane = Lane("wait", "latency", 80, (Curve("reads", "middle", [Step(0, 1, 0.0), Step(1, 2, None)]),))
    assert _lanes._known(lane) == []


def test_the_lane_is_that_of_the_databases_own_device_else_of_the_busiest() -> None:
    proof = facts_proofs.slob()
    assert proof.origin is not None
    own = proof.model_copy(update={"origin": proof.origin.model_copy(update={"device": "sda"})})
    assert {second.device for second in module._of_device(own)} == {"sda"}
    for device in (None, "dm-7"):
        unknown = proof.model_copy(update={"origin": proof.origin.model_copy(update={"device": device})})
        assert {second.device for second in module._of_device(unknown)} == {"nvme0n1"}


def long(seconds: int) -> Proof:
    proof = facts_proofs.slob()
    pieces = tuple(
        OperationSlice(
            operation="select", start_s=float(second), duration_s=1.0, operations=100,
            latency_us_p99=9_000.0 if second == 777 else 1_000.0 + second % 3, latency_us_p50=500.0,
        )
        for second in range(seconds)
    )  # fmt: skip
    return proof.model_copy(update={"slices": pieces, "host_seconds": (), "device_seconds": ()})


def test_thinning_keeps_the_slowest_second_and_the_mean_rate() -> None:
    proof = long(1000)
    group = _lanes.group_size(1000, 766)
    steps = module._latency(proof, {"select": "middle"}, group).curves[0].steps
    assert len(steps) <= _lanes.STEPS_MAX
    assert max(step.value or 0 for step in steps) == 9_000.0
    assert all(before.end_s == after.begin_s for before, after in pairwise(steps))
    assert steps[-1].end_s == 1000
    rates = module._operations(proof, {"select": "middle"}, group).curves[0].steps
    assert {step.value for step in rates} == {100.0}


def test_the_table_of_a_long_proof_holds_its_slowest_seconds_in_order() -> None:
    rows = CHART.table(Subject(run_with(slices=long(1000).slices, host_seconds=()))).rows
    assert len(rows) == module.ROWS_MAX
    starts = [float(row[0].removesuffix(" s")) for row in rows]
    assert 777 in starts
    assert starts == sorted(starts)


def test_words_hold_the_extremes() -> None:
    words = CHART.words(Subject(facts_runs.prove_run()))
    assert "30 slices of 1 s: between 1,200 and 3,500 operations per second." in words
    assert "The p99 of select lay between 7.24 ms and 21.2 ms." in words
    assert "The device nvme0n1 did" in words


def test_what_came_after_the_last_slice_is_not_drawn() -> None:
    host = facts_proofs.host_seconds()
    late = host[-1].model_copy(update={"start_s": 29.6, "duration_s": 1.0})
    after = host[-1].model_copy(update={"start_s": 31.0})
    for panel in panels(run_with(host_seconds=(*host[:-1], late, after))):
        places = [value["x"] for layer in panel["layer"] for value in layer["data"]["values"]]
        assert max(places) == 30.0


def test_names_stay_above_the_labels_of_the_axis_and_apart() -> None:
    moved = _lanes.above([10.0, 60.0, 70.0], 59.0)
    assert max(moved) <= 59.0
    assert moved[0] == 10.0
    assert abs(moved[1] - moved[2]) >= 14


def test_a_curve_known_by_its_p50_alone_still_has_its_name() -> None:
    pieces = tuple(piece.model_copy(update={"latency_us_p99": None}) for piece in facts_proofs.slob().slices)
    shown = panels(run_with(slices=pieces, host_seconds=(), device_seconds=()))
    texts = [
        value["text"] for layer in shown[1]["layer"] for value in layer["data"]["values"] if "text" in value
    ]
    assert set(texts) == {"select", "update", "commit"}


def test_pressures_that_the_kernel_does_not_count_have_no_lane() -> None:
    blind = tuple(
        second.model_copy(
            update={"cpu_pressure_share": None, "io_pressure_share": None, "memory_pressure_share": None}
        )
        for second in facts_proofs.host_seconds()
    )
    assert "some task waited for" not in titles(run_with(host_seconds=blind))
