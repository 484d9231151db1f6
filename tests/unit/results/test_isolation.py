"""What is said of a measurement beside noise, and how it ends."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import facts_isolation
from facts_runs import isolation_run
from plimsoll import results
from plimsoll.base.errors import ExitStatus
from plimsoll.facts import Isolation, Ratio, Run, ServerTrial
from plimsoll.results._blocks import Block, Grid, Pairs
from plimsoll.results.isolation import RESULT

FOUND = facts_isolation.isolation()
FEW = facts_isolation.isolation(few=True)


def _run(found: Isolation, interrupted: bool = False) -> Run:
    return isolation_run().but(results={"isolation": found}, interrupted=interrupted)


def _blocks(found: Isolation) -> Sequence[Block]:
    assert RESULT.blocks is not None
    return RESULT.blocks(_run(found))


def _failed() -> Isolation:
    first, *others = FOUND.trials
    assert first.cell is not None
    cell = first.cell.model_copy(update={"errors": 3})
    return FOUND.but(trials=(first.but(cell=cell), *others))


@pytest.mark.parametrize(
    ("found", "interrupted", "wanted"),
    [
        (FOUND, False, ExitStatus.DONE),
        (FOUND.but(answer="slices do not help"), False, ExitStatus.ANSWER_IS_NO),
        (FOUND.but(answer="cannot tell"), False, ExitStatus.DONE_IN_PART),
        (FOUND.but(answer="the noise did nothing"), False, ExitStatus.DONE_IN_PART),
        (FEW.but(findings=()), False, ExitStatus.DONE_IN_PART),
        (FEW, False, ExitStatus.ANSWER_IS_NO),
        (FOUND.but(trials=FOUND.trials[:-1]), False, ExitStatus.DONE_IN_PART),
        (_failed(), False, ExitStatus.WORLD_FAILED),
        (FOUND, True, ExitStatus.INTERRUPTED),
    ],
)
def test_the_status_is_that_of_the_answer(found: Isolation, interrupted: bool, wanted: ExitStatus) -> None:
    assert results.status(_run(found, interrupted)) is wanted


def test_one_sentence_says_what_noise_does_and_whether_slices_help() -> None:
    said = results.answer(_run(FOUND.but(effects=FOUND.effects[:1], policies=())))
    assert said == (
        "slices help; noise of cpu makes p99 4.0 times [3.8, 4.2] without slices and 1.05 times [0.99, 1.10] in slices;"
        " the second over the first is 0.26 times [0.26, 0.26], so they help"
    )


def test_slices_that_cost_more_than_the_noise_are_not_just_said_to_help() -> None:
    dear = FOUND.effects[0].but(p99_helped=Ratio(ratio=8.0, ci95=(7.5, 8.5), rounds=4))
    said = results.answer(_run(FOUND.but(effects=(dear,), policies=())))
    assert said.startswith(
        "slices keep noise off, and cost more than it does; noise of cpu makes p99 4.0 times"
    )
    assert "beside it p99 in slices is 8.0 times [7.5, 8.5] what it is without" in said
    unsure = dear.but(p99_helped=Ratio(ratio=8.0, ci95=(0.9, 60.0), rounds=4))
    assert results.answer(_run(FOUND.but(effects=(unsure,), policies=()))).startswith("slices help; ")


def test_each_memory_policy_is_told_with_what_it_is_held_against() -> None:
    assert results.answer(_run(FOUND)).endswith(
        "; memory policy interleave makes p99 1.21 times [1.15, 1.27] what it is with off"
    )


def test_a_server_is_told_with_its_operations_and_where_it_was_driven_from() -> None:
    spread = FOUND.trials[0].latency_us
    server = ServerTrial(
        runtime_s=2.0, operations=812, operations_per_s=406.0, latency_us=spread, sessions=4, processes=11
    )
    trials = tuple(one.but(cell=None, server=server) for one in FOUND.trials)
    settings = {"database": "postgresql 18.1, /run/db1", "sessions": "4"}
    found = FOUND.but(trials=trials, driver="slob", client="outside", settings=settings)
    grids = {one.caption: one.table for one in _blocks(found) if isinstance(one, Grid)}
    trial = next(table for title, table in grids.items() if title.startswith("Trials"))
    assert "operations per s" in trial.columns
    assert "406" in trial.rows[0]
    assert results.status(_run(found)) is ExitStatus.DONE
    (pairs,) = (one.rows for one in _blocks(found) if isinstance(one, Pairs))
    assert ("database", "postgresql 18.1, /run/db1") in pairs
    assert ("sessions were driven from", "outside of the slices") in pairs


def test_why_nobody_can_tell_stands_first() -> None:
    assert results.answer(_run(FEW)).startswith(
        "cannot tell: too few cores: the host has 12 cores, all of them in the two slices; "
        "not valid: noise of cpu hardly ran (in 1 of 24 trials); noise of cpu makes"
    )


def test_trials_that_were_not_made_are_told() -> None:
    cut = FOUND.but(trials=FOUND.trials[:5], policies=())
    assert "5 of 24 trials" in results.answer(_run(cut))
    assert " trials" not in results.answer(_run(FOUND))


def test_what_slices_cost_alone_is_told_where_it_matters() -> None:
    dear = Ratio(ratio=16.0, ci95=(15.5, 16.5), rounds=4)
    assert "alone, slices make p99 16 times [16, 16] what it is" in results.answer(
        _run(FOUND.but(p99_alone=dear))
    )
    for cheap in (
        Ratio(ratio=1.02, ci95=(1.01, 1.03), rounds=4),
        Ratio(ratio=1.5, ci95=(0.9, 2.5), rounds=4),
    ):
        assert "alone" not in results.answer(_run(FOUND.but(p99_alone=cheap)))
