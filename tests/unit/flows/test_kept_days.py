"""Thinning of kept snapshots: sums, peaks, gaps and rows stay what they were, however it was interrupted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from demand_snapshots import START, database, row, snapshot
from kept_series import PER_DAY, SERIES, STEP_S, made_series
from plimsoll.base import limits
from plimsoll.base.errors import WorldError
from plimsoll.context import Context, ThinnedDay
from plimsoll.demand.day_intervals import RUNNING, STEP, UNTIL
from plimsoll.demand.gained_rows import Gained
from plimsoll.demand.kept import demand_of_kept
from plimsoll.demand.kept_points import points_of_days
from plimsoll.demand.kept_sizes import latest_sizes
from plimsoll.demand.points import SeriesKey, seconds_of
from plimsoll.demand.wait_looks import seen_waits
from plimsoll.facts import Demand, KeptSnapshot
from plimsoll.flows.kept_days import DAY_S, Ages, Thinner, by_clock, day_of, noted_days, planned
from plimsoll.flows.kept_rows import gained_between
from plimsoll.ports.clock import VirtualClock
from simulated import MemoryStore
from simulated import context as simulated_context

DAYS = 5
AGES = Ages(hours_s=DAY_S, days_s=3 * DAY_S)
SEEDS = range(4)
STEADY = 50


class KilledError(Exception):
    """The process is gone."""


class MortalStore(MemoryStore):
    """Dies at one of the days: before it is changed, or after that was confirmed."""

    dies_at = -1
    is_done_first = False
    calls = 0

    def thin_snapshots(self, day: ThinnedDay) -> bool:
        self.calls += 1
        dies = self.calls == self.dies_at
        if dies and not self.is_done_first:
            raise KilledError
        done = super().thin_snapshots(day)
        if dies:
            raise KilledError
        return done


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Context]:
    with simulated_context(tmp_path) as ctx:
        yield ctx


def filled(ctx: Context, seed: int) -> tuple[Context, MortalStore]:
    store = MortalStore()
    for kept, rows in made_series(DAYS, seed):
        store.keep_snapshot(kept, rows)
    clock = VirtualClock(START + timedelta(days=DAYS, minutes=1))
    return replace(ctx, clock=clock, store=store), store


def thin_all(ctx: Context) -> int:
    thinner, removed = Thinner(ctx, SERIES, AGES, by_clock(ctx)), 0
    while (changed := thinner.step()) is not None:
        removed += changed.removed
    return removed


def demand_of(store: MemoryStore) -> Demand:
    found = demand_of_kept(store.snapshots(SERIES))
    assert found is not None
    return found


def told(demand: Demand, *codes: str) -> list[str]:
    return [note.message for note in demand.notes if note.code in codes]


def points(ctx: Context) -> dict[Any, Any]:
    found, _ = points_of_days("shop", noted_days(ctx, SERIES), by_class=True)
    return {key: (list(one[""].begin_s), list(one[""].duration_s), list(one[""].value)) for key, one in found.items()}  # fmt: skip


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
    assert _rows(store) == _rows(other)


def _rows(store: MemoryStore) -> list[str]:
    return sorted(repr(part) for _, part in store.rows)


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
    assert _rows(store) == _rows(slow)


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
    assert _rows(store) == _rows(whole_store)


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


def steady(number: float, collector: str, taken_s: float | None = None) -> KeptSnapshot:
    """One of a server that reads 50 blocks a second, taken so many steps after the begin; by its own clock at `taken_s`."""
    reads = int(number * STEP_S * STEADY)
    shot = snapshot(number * STEP_S, (row(reads=reads, read_bytes=reads * 8192, read_time_ms=1.0 * reads),))
    if taken_s is not None:
        shot = shot.model_copy(update={"taken_at": START + timedelta(seconds=taken_s)})
    return KeptSnapshot(series=SERIES, database=database(), snapshot=shot, collector=collector, boot="b")


def series_of(made: Context, kept: list[KeptSnapshot]) -> tuple[Context, MemoryStore]:
    store = MemoryStore()
    for one in kept:
        store.keep_snapshot(one)
    return replace(made, clock=VirtualClock(START + timedelta(days=DAYS, minutes=1)), store=store), store


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
