"""Where blocks came from: parts that add up, and parts of which nothing is known."""

from __future__ import annotations

from typing import Any

import pytest

import facts_proofs
import facts_runs
from plimsoll import charts
from plimsoll.charts import Subject, origin_parts
from plimsoll.facts import Run

CHART = charts.load("block-origin")


def run_with(physical: float | None = 20_000.0, **changes: Any) -> Run:
    proof = facts_proofs.slob()
    assert proof.origin is not None
    update = {"origin": proof.origin.model_copy(update=changes), "physical_reads_per_s": physical}
    return facts_runs.prove_run().model_copy(update={"proof": proof.model_copy(update=update)})


def parts(run: Run) -> dict[str, tuple[float | None, float | None]]:
    assert run.proof is not None
    return {part.name: (part.per_s, part.share) for part in origin_parts(run.proof)}


def spans(run: Run) -> list[tuple[float, float]]:
    bar = CHART.draw(Subject(run), 766).to_dict()["vconcat"][0]
    return [(value["x"], value["x2"]) for layer in bar["layer"] for value in layer["data"]["values"]]


def test_parts_follow_each_other_and_their_shares_make_a_whole() -> None:
    run = run_with()
    assert spans(run) == [(0, 28_000), (28_000, 32_800), (32_800, 48_000)]
    assert sum(share or 0 for _, share in parts(run).values()) == pytest.approx(1)
    words = CHART.words(Subject(run))
    assert (
        "58 % from the database's own buffer, 10 % from the operating system's cache, 32 % from the device"
        in words
    )
    assert "The kernel counted 15,300 reads per second of nvme0n1, by anyone." in words


def test_reads_of_which_nobody_knows_the_origin_are_a_part_of_their_own() -> None:
    run = run_with(system_cache_per_s=None, device_per_s=None)
    assert parts(run)["the device"] == (None, None)
    assert parts(run)["cache or device (unknown)"][0] == 20_000.0
    assert spans(run) == [(0, 28_000), (28_000, 48_000)]
    assert "Not known is what came from the operating system's cache and from the device." in CHART.words(
        Subject(run)
    )
    rows = {row[0]: row[1:] for row in CHART.table(Subject(run)).rows}
    assert rows["the device"] == ("unknown", "unknown")


def test_the_rest_of_what_was_read_is_of_unknown_origin_where_one_part_is_counted() -> None:
    run = run_with(device_per_s=None)
    assert parts(run)["cache or device (unknown)"][0] == pytest.approx(15_200)


def test_nothing_is_made_up_where_the_reads_are_not_counted_either() -> None:
    run = run_with(None, system_cache_per_s=None, device_per_s=None)
    assert "cache or device (unknown)" not in parts(run)
    assert parts(run)["the database's own buffer"] == (28_000.0, 1.0)


def test_without_any_known_part_there_is_no_picture() -> None:
    run = run_with(None, buffer_hits_per_s=None, system_cache_per_s=None, device_per_s=None)
    assert not CHART.applies(Subject(run))
    assert "Not known is" in CHART.words(Subject(run))
