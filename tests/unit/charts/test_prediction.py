"""A prediction beside its proof: two bars on one scale, and the error in words."""

from __future__ import annotations

from typing import Any

import pytest

import facts_proofs
import facts_runs
from plimsoll import charts
from plimsoll.charts import Subject, error_text
from plimsoll.facts import Run

CHART = charts.load("prediction")


def run_with(**changes: Any) -> Run:
    return facts_runs.prove_run().model_copy(
        update={"prediction": facts_proofs.prediction().model_copy(update=changes)}
    )


def test_both_bars_begin_at_nothing_and_end_at_their_figures() -> None:
    layers = CHART.draw(Subject(run_with()), 766).to_dict()["layer"]
    bars = [layer["data"]["values"][0] for layer in layers if layer["mark"]["type"] == "rect"]
    assert [(bar["x"], bar["x2"]) for bar in bars] == [(0, 22_400.0), (0, 21_300.0)]
    assert {
        layer["encoding"]["x"]["scale"]["domain"][0] for layer in layers if layer["mark"]["type"] == "rect"
    } == {0}
    assert [layer["data"]["values"][0]["x"] for layer in layers if layer["mark"]["type"] == "rule"] == [
        22_400.0
    ]


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.052, "5.2 % too high"),
        (-0.314, "31.4 % too low"),
        (0.0004, "right to within 0.1 %"),
        (1.2, "120.0 % too high"),
    ],
)
def test_the_error_in_words(share: float, text: str) -> None:
    assert error_text(share) == text


def test_what_was_not_found_is_unknown_and_no_bar() -> None:
    for missing in ({"line_iops": None}, {"proved_iops": None}):
        run = run_with(**missing, error_share=None)
        assert not CHART.applies(Subject(run))
        assert "unknown" in CHART.words(Subject(run))
        assert CHART.table(Subject(run)).rows[2] == ("error of the prediction", "unknown")
