"""What is noted of days of kept snapshots: as they go, anew when they are over, and again where a clock shows them twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from demand_snapshots import START
from kept_series import PER_DAY, SERIES, made_series
from plimsoll.base.errors import WorldError
from plimsoll.context import Context, ThinnedDay
from plimsoll.demand.day_intervals import RUNNING, STEP, UNTIL
from plimsoll.demand.kept_points import points_of_days
from plimsoll.demand.points import SeriesKey, seconds_of
from plimsoll.facts import KeptSnapshot
from plimsoll.flows.kept_days import DAY_S, Ages, Thinner, by_clock, day_of, noted_days, planned
from plimsoll.ports.clock import VirtualClock
from simulated import MemoryStore
from simulated import context as simulated_context
from thinned_series import (
    AGES,
    SEEDS,
    demand_of,
    filled,
    points,
    rows_of,
    series_of,
    steady,
    thin_all,
)


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Context]:
    with simulated_context(tmp_path) as ctx:
        yield ctx


@pytest.mark.parametrize("seed", SEEDS)
def test_a_day_that_is_noted_as_it_goes_gives_the_points_of_its_snapshots(made: Context, seed: int) -> None:
    store, plain, clock = MemoryStore(), MemoryStore(), VirtualClock(START)
    ctx, noted = replace(made, clock=clock, store=store), 0
    thinner = Thinner(ctx, SERIES, AGES, by_clock(ctx))
    for number, (kept, rows) in enumerate(made_series(2, seed)):
        clock.sleep(max(0.0, (kept.snapshot.taken_at - clock.now()).total_seconds()))
        for one in (store, plain):
            one.keep_snapshot(kept, rows)
        if thinner.step() is None:
            noted += thinner.note_on(kept.snapshot.taken_at)
        if number % 37 == 0:
            assert points(ctx) == points(replace(ctx, store=plain))
    assert noted > DAY_S / 3_600.0
    assert points(ctx) == points(replace(ctx, store=plain))


def test_a_day_that_is_noted_as_it_goes_is_noted_anew_when_it_is_over(made: Context) -> None:
    """Which of its lines are parted is known then."""
    kept = [one for one, _ in made_series(2, 1)]
    early = [one for one in kept if one.snapshot.taken_at < day_of(START) + timedelta(days=1.5)]
    whole, whole_store = series_of(made, kept)
    ctx, store = series_of(made, early)
    thinner = Thinner(ctx, SERIES, AGES, by_clock(ctx))
    while thinner.step() is not None:
        pass
    assert thinner.note_on(early[-1].snapshot.taken_at)
    assert not thinner.note_on(early[-1].snapshot.taken_at)
    assert [one.figures[STEP] for one in store.kept_rows(SERIES, "intervals")] == [DAY_S, RUNNING]
    for one in kept[len(early) :]:
        store.keep_snapshot(one)
    thin_all(ctx)
    thin_all(whole)
    assert rows_of(store) == rows_of(whole_store)


@pytest.mark.parametrize("is_restarted", [False, True])
def test_days_that_a_machine_lived_twice_are_noted_as_a_demand_sees_them(
    made: Context, is_restarted: bool
) -> None:
    """A trend, what is noted as the day goes, and thinning all tell the life that came later."""
    first = [steady(number, "a") for number in range(int(2.25 * PER_DAY))]
    back, end = int(1.6 * PER_DAY), int(3.5 * PER_DAY)
    again = [steady(number + 0.25, "a").but(reverts=1) for number in range(back, end)]
    store, clock = MemoryStore(), VirtualClock(START)
    ctx = replace(made, clock=clock, store=store)
    thinner = Thinner(ctx, SERIES, Ages(), by_clock(ctx))
    for number, kept in enumerate([*first, *again]):
        at, newest = kept.snapshot.taken_at, store.newest_snapshot(SERIES)
        clock.sleep(max(0.0, (at - clock.now()).total_seconds()))
        store.keep_snapshot(kept)
        if is_restarted and number == len(first) + 1:
            thinner = Thinner(ctx, SERIES, Ages(), by_clock(ctx))
        if newest is not None and at < newest.snapshot.taken_at:
            thinner.look_again(at)
        if thinner.step() is None:
            thinner.note_on(at)
        if number % 41 == 40:
            assert_like_a_demand(ctx, store)
    thin_all(replace(ctx, clock=VirtualClock(START + timedelta(days=30))))
    found = points(ctx)[SeriesKey("shop", "iops")]
    twice = day_of(START) + timedelta(days=2)
    of_day = [begin for begin in found[0] if seconds_of(twice) <= begin < seconds_of(twice) + DAY_S]
    assert of_day == [
        seconds_of(one.snapshot.taken_at) for one in again if day_of(one.snapshot.taken_at) == twice
    ]


class BusyStore(MemoryStore):
    """Takes no change of a day the first time; it says so, or somebody else has changed it."""

    raises = True
    refused = False

    def thin_snapshots(self, day: ThinnedDay) -> bool:
        if self.refused:
            return super().thin_snapshots(day)
        self.refused = True
        if self.raises:
            raise WorldError("store-locked", "another program has held it")
        return False


@pytest.mark.parametrize("raises", [False, True])
def test_a_day_that_could_not_be_noted_is_tried_again(made: Context, raises: bool) -> None:
    store = BusyStore()
    store.raises = raises
    for number in range(3 * PER_DAY):
        store.keep_snapshot(steady(number, "a"))
    ctx = replace(made, clock=VirtualClock(START + timedelta(days=4)), store=store)
    thinner = Thinner(ctx, SERIES, Ages(), by_clock(ctx))
    with pytest.raises(WorldError) if raises else nullcontext():
        assert thinner.step() is None
    assert thinner.noted_until == day_of(START)
    while thinner.step() is not None:
        pass
    assert next(one.taken_at for one in store.kept_rows(SERIES, "intervals")) == day_of(START)


def test_lines_of_a_thinned_day_stay_where_its_clock_shows_it_again(made: Context) -> None:
    ctx, store = series_of(made, [steady(number, "a") for number in range(3 * PER_DAY)])
    thin_all(ctx)
    before = list(store.kept_rows(SERIES, "intervals"))
    assert before[1].figures[STEP] == DAY_S
    thinner = Thinner(ctx, SERIES, AGES, by_clock(ctx))
    late = steady(3 * PER_DAY, "a", taken_s=1.2 * DAY_S).but(reverts=1)
    store.keep_snapshot(late)
    thinner.look_again(late.snapshot.taken_at)
    while thinner.step() is not None:
        pass
    thinner.note_on(late.snapshot.taken_at)
    assert list(store.kept_rows(SERIES, "intervals"))[:2] == before[:2]


def test_a_leftover_of_a_day_that_was_not_over_hides_no_later_day(made: Context) -> None:
    """Its snapshots are gone: nobody can note it anew."""
    ctx, store = series_of(made, [steady(number, "a") for number in range(4 * PER_DAY)])
    thin_all(ctx)
    first, second, *_ = store.kept_rows(SERIES, "intervals")
    leftover = second.but(figures={STEP: RUNNING, UNTIL: seconds_of(second.taken_at) + 100.0})
    store.rows = [(of, leftover if part == second else part) for of, part in store.rows]
    days = [one.taken_at for one in noted_days(ctx, SERIES)]
    assert days[:4] == [first.taken_at + timedelta(days=number) for number in range(4)]


class CountingStore(MemoryStore):
    """Knows how often it was asked for snapshots."""

    asked = 0

    def snapshots(
        self, series: str, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[KeptSnapshot]:
        self.asked += 1
        return super().snapshots(series, since, until)


def test_years_without_a_snapshot_are_not_walked_day_by_day(made: Context) -> None:
    store = CountingStore()
    store.keep_snapshot(steady(0, "a", taken_s=-40 * 365 * DAY_S))
    for number in range(2 * PER_DAY):
        store.keep_snapshot(steady(number, "a"))
    ctx = replace(made, clock=VirtualClock(START + timedelta(days=4)), store=store)
    removed = thin_all(ctx)
    assert list(planned(ctx, SERIES, AGES, by_clock(ctx))) == []
    assert removed
    assert store.asked < 200


def test_a_noted_day_that_is_damaged_is_named(made: Context) -> None:
    ctx, store = series_of(made, [steady(number, "a") for number in range(3 * PER_DAY)])
    thinner = Thinner(ctx, SERIES, Ages(), by_clock(ctx))
    while thinner.step() is not None:
        pass
    store.rows = [(of, part.but(rows=part.rows[: len(part.rows) // 2 + 9])) for of, part in store.rows]
    with pytest.raises(WorldError, match=r"what was noted of 2025-01-0\d of .* is damaged") as caught:
        thin_all(ctx)
    assert caught.value.id == "store-damaged"


def assert_like_a_demand(ctx: Context, store: MemoryStore) -> None:
    known = [one for one in demand_of(store).intervals if one.iops is not None]
    found = points(ctx).get(SeriesKey("shop", "iops"), ([], [], []))
    assert found[0] == [seconds_of(one.begin_time) for one in known]
    assert found[2] == pytest.approx([one.iops for one in known])


def test_days_that_another_release_noted_are_told_and_not_read(made: Context) -> None:
    ctx, _ = filled(made, 1)
    thin_all(ctx)
    first, *others = noted_days(ctx, SERIES)
    without, _ = points_of_days("shop", others, by_class=True)
    for strange in (
        first.but(columns=("begin_s", "duration", "iops")),
        first.but(rows=f"{first.rows}\n{others[0].rows[:20]}"),
        first.but(rows=first.rows.replace("1", "one")),
    ):
        found, notes = points_of_days("shop", [strange, *others], by_class=True)
        assert repr(found) == repr(without)
        assert [note.code for note in notes if "unreadable" in note.code] == ["days-unreadable"]
