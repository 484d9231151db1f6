"""The interference matrix: a scale that ends where its figures end, and names that are whole on a phone."""

from __future__ import annotations

import pytest

import facts_runs
from plimsoll import charts
from plimsoll.charts import Subject
from plimsoll.charts.interference_matrix import _fields, worst_ratio
from plimsoll.facts import Interference, Run

CHART = charts.load("interference-matrix")


def found(*ratios: float) -> Interference:
    interference = facts_runs.interference_run().interference
    assert interference is not None
    effects = [
        effect.model_copy(update={"p99_ratio": ratio})
        for effect, ratio in zip(interference.effects, ratios, strict=False)
    ]
    return interference.model_copy(update={"effects": tuple(effects)})


def test_the_scale_does_not_saturate() -> None:
    shades = [field["shade"] for field in _fields(found(12.0, 47.0, 480.0))]
    assert shades == sorted(set(shades))
    assert shades[-1] == pytest.approx(1.0)


def test_small_effects_stay_pale() -> None:
    assert worst_ratio(found(1.1, 1.2)) == 10.0
    assert max(field["shade"] for field in _fields(found(1.1, 1.2))) < 0.1


def test_nothing_stands_for_what_was_not_measured() -> None:
    run = Run.model_validate(facts_runs.interference_run())
    (layer, *_) = CHART.draw(Subject(run), 356).to_dict()["layer"]
    assert "all others" not in layer["encoding"]["x"]["scale"]["domain"]
    names_px = layer["encoding"]["y"]["axis"]["labelLimit"]
    longest = max(len(row) for row in layer["encoding"]["y"]["scale"]["domain"])
    assert names_px >= 6 * longest
