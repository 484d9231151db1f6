"""Demands of known headroom on simulated storage: no verdict is wrong, and those far from the line are decided."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from plimsoll.context import Context
from plimsoll.facts import Run
from plimsoll.flows.assess import assess
from plimsoll.flows.demand import write_demand
from plimsoll.requests.assess import AssessRequest
from simulated import context
from verdict_truth import (
    KEPT_FOR,
    SHAPES,
    SLO,
    STORAGES,
    Case,
    cases,
    computed_headroom,
    depends_on,
    headroom_of,
)

SINGLE = [case for case in cases() if case.storage.servers == 1]
CASES = [case for number, case in enumerate(SINGLE) if number % 3 == number // (2 * len(SHAPES)) % 3]
"""A third of those whose truth is computed quickly; `make bench BENCH=verdict_truth` takes all."""


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield made


def judged(ctx: Context, case: Case, folder: Path) -> Run:
    write_demand(case.demand(), folder / "demand.json")
    return assess(
        ctx,
        AssessRequest(
            target=case.storage.words, demand=(str(folder / "demand.json"),), slo=SLO, seed=1, trial_s=20.0
        ),
    )


def test_the_cases_tried_here_have_every_shape_and_both_sides() -> None:
    assert {case.shape for case in CASES} == set(SHAPES)
    assert {case.carries for case in CASES if case.is_far} == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name.replace(" ", "-"))
def test_no_verdict_is_wrong(ctx: Context, tmp_path: Path, case: Case) -> None:
    verdict = judged(ctx, case, tmp_path).verdict
    assert verdict is not None
    if verdict.carries is True:
        assert case.may_say_yes, verdict.reason
    elif verdict.carries is False:
        assert not case.carries, verdict.reason
    else:
        assert not case.is_far, verdict.reason
    if case.is_far:
        assert verdict.headroom == pytest.approx(case.headroom, rel=0.12)
        assert verdict.replay_headroom == pytest.approx(case.headroom, rel=0.12)


def test_the_truth_of_even_arrivals_at_one_server_is_near_its_rate() -> None:
    """Crommelin's M/D/1 (1932): with 500 µs a read and a limit of 20 of them the line lies a tenth below 2,000 a second."""
    headroom = computed_headroom(STORAGES[0], SHAPES["steady"])
    assert 0.85 * 2000 < headroom * 1314 < 0.95 * 2000
    assert headroom == pytest.approx(headroom_of(STORAGES[0], "steady"))


def test_the_truths_that_are_kept_are_those_of_these_storages_and_shapes() -> None:
    assert depends_on() == KEPT_FOR, "compute KEPT anew, or take out what changed"
