"""The tiers by latency: fastest on top, spans where a latency depends on load, what each holds and costs beside it."""

from __future__ import annotations

from typing import Any

import pytest

import facts_placement
import facts_runs
from facts_placement import GIB, curved, tier
from plimsoll import charts
from plimsoll.charts import Subject
from plimsoll.facts import Tier

CHART = charts.load("latency-pyramid")
DISK = tier("disk", curved((0.0, 5000.0), (1500.0, 9000.0)), price_per_tb_month=20.0)
FLASH = tier("flash", 200.0, 200 * GIB, price_per_tb_month=180.0, runs=("20261127-0900",))
TAPE = tier("tape", 5e6)


def subject(*tiers: Tier) -> Subject:
    placed = facts_placement.placement().but(tiers=tiers)
    return Subject(facts_runs.place_run().model_copy(update={"placement": placed}))


def values(told: Subject, width_px: int, kind: str) -> list[list[dict[str, Any]]]:
    layers = CHART.draw(told, width_px).to_dict()["layer"]
    return [layer["data"]["values"] for layer in layers if layer["mark"]["type"] == kind]


@pytest.mark.parametrize("width_px", [356, 766])
def test_the_fastest_is_on_top_and_each_ground_reaches_to_its_longest_latency(width_px: int) -> None:
    told = subject(DISK, TAPE, FLASH)
    (grounds,) = values(told, width_px, "rect")
    assert [ground["x2"] for ground in grounds] == [200.0, 9000.0, 5e6]
    assert [ground["y"] for ground in grounds] == sorted(ground["y"] for ground in grounds)
    titles = [
        text["text"] for texts in values(told, width_px, "text") for text in texts if ":" in text["text"]
    ]
    assert titles == [
        "flash: 200 GiB, 180 per TB and month, measured",
        "disk: no limit, 20 per TB and month, stated",
        "tape: no limit, price unknown, stated",
    ]


def test_a_latency_that_depends_on_load_is_a_span() -> None:
    told = subject(FLASH, DISK)
    assert [[end["x"] for end in line] for line in values(told, 766, "line")] == [[5000.0, 9000.0]] * 3
    texts = {text["text"] for texts in values(told, 766, "text") for text in texts}
    assert {"small read 200 µs", "small read 5 ms to 9 ms", "small write 5 ms to 9 ms"} <= texts


def test_words_and_table_have_the_figures() -> None:
    told = subject(DISK, FLASH)
    assert CHART.words(told) == (
        "A small read takes 200 µs on flash and 5 ms to 9 ms on disk, 25 times as long without load. "
        "Of flash latencies were measured; all others are stated."
    )
    assert CHART.table(told).rows == (
        ("flash", "200 µs", "200 µs", "200 µs", "200 GiB", "180.00", "measured"),
        ("disk", "5 ms to 9 ms", "5 ms to 9 ms", "5 ms to 9 ms", "no limit", "20.00", "stated"),
    )


def test_one_tier_alone_is_no_pyramid() -> None:
    assert not CHART.applies(subject(DISK))
    assert not CHART.applies(Subject(facts_runs.io_run()))


def test_a_latency_of_nothing_has_no_place_on_a_logarithmic_axis() -> None:
    assert not CHART.applies(subject(DISK, tier("null", 0.0)))
