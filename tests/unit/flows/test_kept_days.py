"""Thinning of kept snapshots: sums, peaks, gaps and rows stay what they were, however it was interrupted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from demand_snapshots import START
from kept_series import PER_DAY, SERIES, STEP_S, made_series
from plimsoll.base import limits
from plimsoll.context import Context
from plimsoll.demand.gained_rows import Gained
from plimsoll.demand.kept_points import points_of_days
from plimsoll.demand.kept_sizes import latest_sizes
from plimsoll.demand.points import SeriesKey
from plimsoll.demand.wait_looks import seen_waits
from plimsoll.facts import KeptSnapshot
from plimsoll.flows.kept_days import by_clock, day_of, noted_days, planned
from plimsoll.flows.kept_rows import gained_between
from plimsoll.ports.clock import VirtualClock
from simulated import context as simulated_context
from thinned_series import (
    AGES,
    DAYS,
    SEEDS,
    STEADY,
    KilledError,
    demand_of,
    filled,
    points,
    rows_of,
    series_of,
    steady,
    thin_all,
    told,
)


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Context]:
    with simulated_context(tmp_path) as ctx:
        yield ctx


@pytest.mark.parametrize("seed", SEEDS)
def test_sums_peaks_and_gaps_are_those_before(made: Context, seed: int) -> None:
    ctx, store = filled(made, seed)
    before = demand_of(store)
    removed = thin_all(ctx)
    after = demand_of(store)
    assert removed > 3 * PER_DAY
    assert after.counts == before.counts
    assert after.io == before.io
    for figure in ("iops", "mb_per_s"):
        highest = [max(getattr(one, figure) or 0.0 for one in demand.intervals) for demand in (before, after)]
        assert highest[0] == highest[1]
    assert before.peak is not None
    assert after.peak == before.peak
    assert [one.gap for one in after.intervals if one.gap] == [one.gap for one in before.intervals if one.gap]
    assert told(after, "gap", "settings-changed", "snapshots-missed") == told(
        before, "gap", "settings-changed", "snapshots-missed"
    )
    assert len(told(after, "snapshots-missed")) == 1
    assert len(told(after, "snapshots-thinned")) == 1
    assert not told(before, "snapshots-thinned")


def test_each_day_keeps_its_busiest_interval(made: Context) -> None:
    ctx, store = filled(made, 1)
    before = demand_of(store).intervals
    thin_all(ctx)
    after = {(one.begin_time, one.end_time) for one in demand_of(store).intervals}
    for day in range(DAYS - 2):
        begin = day_of(START) + timedelta(days=day)
        own = [one for one in before if day_of(one.begin_time) == begin and one.gap is None]
        for figure in ("iops", "mb_per_s"):
            busiest = max(own, key=lambda one: getattr(one, figure))
            assert (busiest.begin_time, busiest.end_time) in after


def test_how_far_a_day_is_thinned_follows_from_its_age(made: Context) -> None:
    ctx, store = filled(made, 2)
    thin_all(ctx)
    counts = [
        sum(1 for one in store.kept if day_of(one.snapshot.taken_at) == day_of(START) + timedelta(days=day))
        for day in range(DAYS)
    ]
    of_days, of_hours, whole = counts[:2], counts[2:4], counts[4]
    assert max(of_days) <= 2 + 3 * 2 + 3 * 2
    assert all(10 < count < 24 + 1 + 12 for count in of_hours)
    assert whole > 100
    left = {one.snapshot.taken_at: one for one in store.kept}
    gone = sum(one.removed_after for one in left.values())
    assert gone + len(left) == len(made_series(DAYS, 2))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_trend_sees_every_interval_as_before(made: Context, seed: int) -> None:
    ctx, _ = filled(made, seed)
    before = points(ctx)
    thin_all(ctx)
    assert points(ctx) == before
    assert len(before) > 3


def firsts(kept: list[KeptSnapshot]) -> list[KeptSnapshot]:
    found: dict[Any, KeptSnapshot] = {}
    for one in kept:
        found.setdefault(day_of(one.snapshot.taken_at), one)
    return [one.but(removed_after=0) for one in found.values()]


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_of_kept_moments_tell_what_they_told(made: Context, seed: int) -> None:
    ctx, store = filled(made, seed)

    def told_rows() -> list[Any]:
        days = firsts(list(store.snapshots(SERIES)))
        gains = [gained_between(ctx, "relations", one, other) for one, other in pairwise(days)]
        return [
            (sorted(map(repr, one.rows)), one.unkept) if isinstance(one, Gained) else one for one in gains
        ]

    def told_waits() -> Any:
        found = seen_waits(store.kept_rows(SERIES, "waits"))
        return found.looks, found.missed, found.seen

    before, waits = told_rows(), told_waits()
    sizes = latest_sizes(store.kept_rows(SERIES, "sizes"))
    dropped = {oid for oid, one in sizes.items() if one.taken_at < START + timedelta(days=DAYS, hours=-1)}
    thin_all(ctx)
    assert told_rows() == before
    assert told_waits() == waits
    left = latest_sizes(store.kept_rows(SERIES, "sizes"))
    assert {oid: one for oid, one in left.items() if oid not in dropped} == {
        oid: one for oid, one in sizes.items() if oid not in dropped
    }
    assert len(dropped) < len(sizes)


@pytest.mark.parametrize("is_done_first", [False, True])
@pytest.mark.parametrize("dies_at", [1, 4, 7, 9])
def test_thinning_that_was_killed_ends_as_if_it_had_not_been(
    made: Context, dies_at: int, is_done_first: bool
) -> None:
    ctx, store = filled(made, 3)
    other_ctx, other = filled(made, 3)
    thin_all(other_ctx)
    assert other.calls > dies_at
    store.dies_at, store.is_done_first = dies_at, is_done_first
    with pytest.raises(KilledError):
        thin_all(ctx)
    thin_all(ctx)
    assert list(store.snapshots(SERIES)) == list(other.snapshots(SERIES))
    assert rows_of(store) == rows_of(other)


def test_thinned_once_is_thinned_for_good(made: Context) -> None:
    ctx, store = filled(made, 0)
    thin_all(ctx)
    calls = store.calls
    assert thin_all(ctx) == 0
    assert store.calls == calls


def test_step_by_step_as_days_go_by_is_as_all_at_once(made: Context) -> None:
    ctx, store = filled(made, 2)
    thin_all(ctx)
    late, slow = filled(made, 2)
    for day in range(DAYS + 1):
        clock = VirtualClock(START + timedelta(days=day, minutes=1))
        thin_all(replace(late, clock=clock))
    assert list(store.snapshots(SERIES)) == list(slow.snapshots(SERIES))
    assert rows_of(store) == rows_of(slow)


def test_a_plan_counts_what_would_go(made: Context) -> None:
    ctx, store = filled(made, 1)
    kept = list(store.kept)
    gone = sum(day.removed for day in planned(ctx, SERIES, AGES, by_clock(ctx)))
    assert store.kept == kept
    assert thin_all(ctx) == gone > 0


def test_the_last_day_waits_for_the_snapshot_that_ends_it(made: Context) -> None:
    ctx, store = filled(made, 1)
    clock = VirtualClock(START + timedelta(days=100))
    thin_all(replace(ctx, clock=clock))
    noted = list(store.kept_rows(SERIES, "intervals"))
    assert [one.taken_at for one in noted] == [day_of(START) + timedelta(days=day) for day in range(DAYS)]


def test_of_many_rows_a_day_keeps_those_that_gained_most(
    made: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "THINNED_ROWS_MAX", 2)
    ctx, store = filled(made, 1)
    thin_all(ctx)
    found: list[Gained] = []
    kept = list(store.snapshots(SERIES))
    for day in range(2):
        own = [one for one in kept if day_of(one.snapshot.taken_at) == day_of(START) + timedelta(days=day)]
        gained = gained_between(ctx, "relations", own[0], own[-1])
        found += [gained] if isinstance(gained, Gained) else []
    assert found
    assert all(0 < len(one.rows) <= 2 < len(one.unkept) for one in found)


def rates(ctx: Context) -> list[float]:
    found, _ = points_of_days("shop", noted_days(ctx, SERIES), by_class=False)
    return list(found[SeriesKey("shop", "iops")][""].value)


def seconds(ctx: Context) -> float:
    found, _ = points_of_days("shop", noted_days(ctx, SERIES), by_class=False)
    return sum(found[SeriesKey("shop", "iops")][""].duration_s)


@pytest.mark.parametrize("is_noted", [False, True])
@pytest.mark.parametrize("apart", [0.00005, 0.1, 0.4])
def test_two_collectors_of_one_server_make_no_peaks_and_are_thinned(
    made: Context, apart: float, is_noted: bool
) -> None:
    """What sessions hand in at once would be a rate of the moment between the two."""
    numbers = range(DAYS * PER_DAY)
    both = [steady(n + part, name) for n in numbers for part, name in ((0.0, "a"), (apart, "b"))]
    ctx, store = series_of(made, both)
    removed = thin_all(ctx) if is_noted else 0
    assert rates(ctx) == pytest.approx([STEADY] * (DAYS * PER_DAY - 1), rel=1e-3)
    if is_noted:
        assert removed + len(store.kept) == len(both)
        assert len(store.kept) < 2 * (PER_DAY + 3 * 24 + 3 * 6)
        demand = demand_of(store)
        thinned = [one for one in store.kept if one.snapshot.taken_at < day_of(START) + timedelta(days=2)]
        assert not any(one.collector == "b" for one in thinned)
        assert demand.mean is not None
        assert demand.mean.iops == pytest.approx(STEADY, rel=1e-3)


@pytest.mark.parametrize("is_noted", [False, True])
@pytest.mark.parametrize("back_at", [100, 126, 130])
def test_a_clock_that_was_set_back_counts_nothing_twice_in_a_trend(
    made: Context, back_at: int, is_noted: bool
) -> None:
    """By an hour, within a day and across midnight, which is at step 125."""
    steps = DAYS * PER_DAY
    kept = [steady(n, "a", n * STEP_S - (3599.0 if n >= back_at else 0.0)) for n in range(steps)]
    ctx, store = series_of(made, kept)
    whole = demand_of(store)
    if is_noted:
        thin_all(ctx)
    assert rates(ctx) == pytest.approx([STEADY] * len(rates(ctx)), rel=1e-3)
    assert seconds(ctx) == pytest.approx((steps - 1) * STEP_S)
    after = demand_of(store)
    assert after.mean is not None
    assert whole.mean is not None
    assert after.mean.duration_s == pytest.approx(whole.mean.duration_s)
    assert after.counts == whole.counts
