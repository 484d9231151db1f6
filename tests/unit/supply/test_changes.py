"""Trials that contradict each other: by their rates, or by what a missed one got done."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

import facts_builder
from plimsoll.facts import Trial, Window
from plimsoll.supply.changes import Changed, check_unchanged
from plimsoll.supply.slo import parse_slo
from plimsoll.supply.trials import State
from simulated_cells import reads

LATE_US, EARLY_US = 400_000.0, 5_000.0


def trial(rate: float, held: bool, served: float | None = None) -> Trial:
    """Of five windows, in which so many I/Os a second ended: all that were asked for unless it is said."""
    latency_us = EARLY_US if held else LATE_US
    windows = tuple(
        Window(
            start_s=0.1 * at, duration_s=0.1, iops=rate if served is None else served,
            latency_us_p50=latency_us, latency_us_p99=latency_us,
        )
        for at in range(5)
    )  # fmt: skip
    cell = facts_builder.cell(rate, reads()).model_copy(
        update={"windows": windows, "ended_early": "" if held else "gave_up"}
    )
    return Trial(
        rate=rate, achieved=rate if served is None else served, latency_us=cell.latency_us, held=held,
        worst_ratio=0.3 if held else 8.0, limiting_class=None, phase="narrow", cell=cell,
    )  # fmt: skip


def check(*trials: Trial, at_end: bool = True) -> None:
    state = SimpleNamespace(valid=lambda: list(trials), search=SimpleNamespace(slo=parse_slo("p99=40ms")))
    check_unchanged(cast(State, cast(Any, state)), at_end)


def test_storage_that_got_a_quarter_done_later_is_not_what_held_before() -> None:
    """A server of 1,000 I/Os per second fell to 250 in mid-search, and its line was said to be 1,050."""
    held = [trial(rate, held=True) for rate in (500.0, 800.0, 1_000.0)]
    with pytest.raises(Changed) as change:
        check(*held, trial(1_190.0, held=False, served=250.0), trial(1_090.0, held=False, served=249.0))
    assert change.value.worse
    assert (change.value.held_rate, change.value.missed_rate) == (1_000.0, 249.0)


def test_storage_that_did_what_it_can_is_what_it_was() -> None:
    held = [trial(rate, held=True) for rate in (500.0, 800.0, 1_000.0)]
    check(*held, trial(2_000.0, held=False, served=1_040.0), trial(1_500.0, held=False, served=900.0))


def test_one_bad_moment_is_no_change_and_before_the_end_later_trials_tell() -> None:
    held = [trial(rate, held=True) for rate in (500.0, 1_000.0, 1_100.0, 1_050.0)]
    check(*held, trial(1_120.0, held=False, served=400.0))
    slow = [trial(1_190.0, held=False, served=250.0), trial(1_120.0, held=False, served=249.0)]
    check(*held, *slow, at_end=False)


def test_where_it_held_again_later_nothing_is_told() -> None:
    slow = [trial(1_190.0, held=False, served=250.0), trial(1_090.0, held=False, served=249.0)]
    check(trial(500.0, held=True), trial(1_000.0, held=True), *slow, trial(950.0, held=True))
