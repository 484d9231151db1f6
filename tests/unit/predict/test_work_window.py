"""What trials of a backup say: the time that it takes, whether it fits, and which rate to try next."""

from __future__ import annotations

from typing import Any

import pytest

from facts_builder import STARTED_AT, verdict
from plimsoll.facts import LinkBound, WorkTrial
from plimsoll.predict.work_window import (
    Bounds,
    Found,
    Work,
    bounds,
    in_short,
    judge_work,
    next_rate,
    work_not_measured,
)
from plimsoll.results.work_window import work_status

TB = 10**12
BACKUP = Work("backup", 4 * TB, 6 * 3600.0)
"""It needs 185 MB/s."""


def trial(rate: float | None, held: bool | None = True, kept_up: bool = True, **changes: Any) -> WorkTrial:
    figures: dict[str, Any] = {
        "beside": "nothing" if rate is None else "mix", "begin_time": STARTED_AT, "duration_s": 10.0, "asked_mb_per_s": rate,
        "mb_per_s": 400.0 if rate is None else rate, "kept_up": kept_up, "work_errors": 0, "demand_iops": 1000.0,
        "held": held, "latency_us_p99": 900.0, "limiting_class": None if held else "small_read", "reason": "as it was",
    }  # fmt: skip
    return WorkTrial(**{**figures, **changes})


def found(*trials: WorkTrial, **changes: Any) -> Found:
    return Found(**{"trials": (trial(None, None), *trials), "alone_mb_per_s": 400.0, "parts": 1, **changes})


def test_what_fits_has_its_time_and_its_factor() -> None:
    window = judge_work(BACKUP, found(trial(370.0), trial(400.0, False)), verdict(True))
    assert (window.fits, window.carries) == (True, True)
    assert window.beside_s == pytest.approx(4e6 / 370)
    assert window.factor == pytest.approx(6 * 3600 / (4e6 / 370))
    assert window.alone_s == pytest.approx(10_000)
    assert (window.limited_by, window.limiting_class) == ("objective", "small_read")
    assert "fits into 6 h, which needs 185.2 MB/s" in window.reason
    assert work_status(window) == 0


@pytest.mark.parametrize(
    ("trials", "work"),
    [
        ((trial(150.0), trial(180.0, False)), BACKUP),
        ((trial(150.0), trial(180.0, kept_up=False)), BACKUP),
        ((trial(370.0), trial(400.0)), Work("backup", 4 * TB, 2 * 3600.0)),
    ],
    ids=["the objective is missed", "the work is too slow", "even alone it is too slow"],
)
def test_what_does_not_fit_is_a_no(trials: tuple[WorkTrial, ...], work: Work) -> None:
    window = judge_work(work, found(*trials), verdict(True))
    assert window.fits is False
    assert "does not fit into" in window.reason
    assert "does not fit" in in_short(window)
    assert work_status(window) == 1


def test_between_what_held_and_what_missed_nothing_is_said() -> None:
    """No rate is made up: what the window needs lies between, and was not tried."""
    window = judge_work(
        BACKUP, found(trial(150.0), trial(200.0, False), stopped="120 s were over"), verdict(True)
    )
    assert window.fits is None
    assert (window.held_mb_per_s, window.missed_mb_per_s) == (150.0, 200.0)
    assert "cannot be told" in window.reason
    assert "120 s were over" in window.reason
    assert work_status(window) == 5


@pytest.mark.parametrize("carries", [False, None])
def test_it_is_never_a_yes_where_the_verdict_is_none(carries: bool | None) -> None:
    window = judge_work(BACKUP, found(trial(370.0)), verdict(carries))
    assert window.fits is carries
    assert window.carries is carries


def test_a_rate_that_is_not_the_storages_makes_no_yes() -> None:
    window = judge_work(BACKUP, found(trial(370.0), doubts=("reads were cached",)), verdict(True))
    assert window.fits is None
    assert "reads were cached" in window.reason


def test_a_rate_holds_when_it_holds_beside_every_part() -> None:
    one, both = [trial(200.0)], [trial(200.0), trial(200.0, beside="replay")]
    assert bounds(one, parts=2) == Bounds(None, None)
    assert bounds(both, parts=2) == Bounds(200.0, None)
    assert bounds([*one, trial(200.0, False, beside="replay")], parts=2) == Bounds(None, 200.0)
    assert bounds([trial(200.0), trial(100.0, False)], parts=1) == Bounds(None, 100.0), (
        "a higher one was luck"
    )


def test_a_miss_that_tells_nothing_decides_nothing() -> None:
    assert bounds([trial(200.0, None)], parts=1) == Bounds(None, None)
    assert bounds([trial(200.0, None, kept_up=False)], parts=1) == Bounds(None, None), (
        "a busy host is slow at both"
    )


def test_without_a_window_it_is_the_time_alone() -> None:
    work = Work("migrate", 4 * TB, None)
    window = judge_work(work, found(trial(200.0), trial(230.0, False)), verdict(True))
    assert (window.carries, window.fits, window.factor) == (True, None, None)
    assert in_short(window) == "migration of 3.6 TiB takes 5 h 33 min"
    assert "a write cache that fills" in window.assumptions[0]
    none = judge_work(work, found(trial(200.0, False), trial(6.0, False)), verdict(True))
    assert (none.carries, none.held_mb_per_s, none.beside_s) == (False, None, None)
    assert work_status(none) == 1


def test_links_that_are_full_are_the_limit() -> None:
    links = LinkBound(stated=False, words="1 × 4GFC", mb_per_s=413.0, reason="as the kernel tells")
    window = judge_work(BACKUP, found(trial(380.0), trial(400.0), links=links), verdict(True))
    assert (window.limited_by, window.limiting_class) == ("links", None)
    assert "more the storage does not give" in window.reason


def test_the_assumption_says_for_how_long_it_was_watched() -> None:
    window = judge_work(BACKUP, found(trial(200.0)), verdict(True))
    assert window.watched_s == 20
    assert window.watched_bytes == 6_000_000_000
    assert (
        "watched for 20 s, in which it moved 5.6 GiB; 3.6 TiB is 667 times as much" in window.assumptions[0]
    )


def test_the_rate_that_is_needed_comes_first_and_then_the_bounds_are_narrowed() -> None:
    tried = next_rate(BACKUP, 400.0, 1.0, Bounds(None, None))
    assert tried == pytest.approx(185.2, rel=1e-3)
    assert next_rate(BACKUP, 400.0, 1.0, Bounds(185.0, None)) == 400.0
    assert next_rate(BACKUP, 400.0, 1.0, Bounds(100.0, 400.0)) == 200.0
    assert next_rate(BACKUP, 400.0, 1.0, Bounds(None, 185.0)) == 92.5
    assert next_rate(BACKUP, 400.0, 1.0, Bounds(360.0, 400.0)) is None
    assert next_rate(BACKUP, 400.0, 1.0, Bounds(390.0, None)) is None


def test_rates_of_which_a_trial_tells_nothing_are_not_tried() -> None:
    tiny = Work("backup", 10**9, 86_400.0)
    assert next_rate(tiny, 400.0, 2.6, Bounds(None, None)) == 2.6
    assert next_rate(tiny, 400.0, 2.6, Bounds(None, 2.6)) is None
    assert next_rate(tiny, 400.0, 2.6, Bounds(None, 10.0)) is None, (
        "a sixty-fourth of its rate alone is little enough"
    )
    assert next_rate(BACKUP, 100.0, 1.0, Bounds(None, None)) == 50.0, (
        "what it cannot reach alone is not tried"
    )


def test_nothing_measured_is_no_answer() -> None:
    window = work_not_measured(BACKUP, "this target may only be read: it is not ours")
    assert (window.fits, window.carries, work_status(window)) == (None, None, 5)
    assert "may only be read" in window.reason


def test_the_rate_is_what_was_moved_and_not_what_was_asked() -> None:
    """It asked for 190 and got 182, which is less than the 185 that the window needs."""
    window = judge_work(BACKUP, found(trial(190.0, mb_per_s=182.0), trial(210.0, False)), verdict(True))
    assert (window.fits, window.held_mb_per_s) == (None, 182.0)
    assert window.beside_s == pytest.approx(4e6 / 182)
    assert "at 182.0 MB/s, the highest rate that was tried and held" in window.reason
    edges = judge_work(BACKUP, found(trial(185.2, mb_per_s=184.9), trial(210.0, False)), verdict(True))
    assert (edges.fits, edges.held_mb_per_s) == (True, 185.2), "the first and last I/Os of a trial"


def test_where_no_trial_above_was_valid_that_is_said() -> None:
    """Nothing is said of what the storage gives where this host was too busy to see it."""
    void = trial(300.0, None, reason="this host was busy")
    window = judge_work(BACKUP, found(trial(200.0), void), verdict(True))
    assert "held; above it no trial was valid: this host was busy." in window.reason
    assert (window.fits, window.limited_by) == (True, None)
    assert (
        "No trial beside the demand was valid: this host was busy."
        in judge_work(BACKUP, found(void), verdict(True)).reason
    )
    untried = judge_work(BACKUP, found(trial(200.0), stopped="120 s were over"), verdict(True))
    assert "more was not tried" in untried.reason
