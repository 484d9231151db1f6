"""Waits that come seldom: a line says which it met and hardly counted, or how rare ones it can have missed."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.facts import Line
from plimsoll.supply.trials import GIVEN_UP
from simulated import find

RARE = "sim:mean=100us,delay=0.00001,delay_by=1s"
"""One I/O in 100,000 takes a second: the line lies near 890 I/Os per second, and a search of a minute says 4,800."""


def note_of(line: Line) -> str | None:
    return next((note.message for note in line.notes if note.code == "rare-waits"), None)


@pytest.mark.parametrize(("seed", "made_again"), [(1, 0), (3, 3)])
def test_waits_that_were_met_and_hardly_count_are_told(tmp_path: Path, seed: int, made_again: int) -> None:
    """Whether the curve clipped them, or the trials that they ended were made again."""
    line = find(tmp_path, RARE, budget_s=60.0, seed=seed)
    assert sum(trial.void_reason == GIVEN_UP for trial in line.trials) == made_again
    assert f"{max(1, made_again)} of {len(line.trials)} trials met a wait of" in (note_of(line) or "")
    assert "the line may lie far lower" in (note_of(line) or "")


def test_what_was_never_met_is_said_to_be_unknown(tmp_path: Path) -> None:
    """In 95 of 100 searches an event was met of which three were to be expected; p99 bears one of a hundredth of its distance."""
    line = find(tmp_path, "sim:mean=100us", budget_s=60.0, seed=1)
    seconds = sum(trial.cell.runtime_s for trial in line.trials if trial.held is not None) / 3
    assert f"{seconds:.2f} s, may not have been seen; a wait of more than {10 * seconds:.1f} ms" in (
        note_of(line) or ""
    )


def test_trials_of_millions_of_ios_miss_nothing_that_storage_does(tmp_path: Path) -> None:
    assert note_of(find(tmp_path, "sim:mean=100us", seed=1)) is None


def test_a_wait_in_every_trial_is_counted_and_not_told(tmp_path: Path) -> None:
    line = find(tmp_path, "sim:mean=100us,stall_after=20000,stall=300ms", trial_s=100.0, seed=2)
    assert any(trial.void_reason == GIVEN_UP for trial in line.trials)
    assert "met a wait" not in (note_of(line) or "")
