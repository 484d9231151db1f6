"""A collector of snapshots on a clock that only moves when somebody waits: its steps, and what it lives through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from collecting import (
    BEGIN,
    DAY,
    MINUTE,
    URL,
    FullStore,
    RowsServer,
    Server,
    Setting,
    collecting,
    remarks_of,
    rows_of,
)
from demand_snapshots import database
from plimsoll.base.errors import UsageError, WorldError
from plimsoll.facts import KeptRows, KeptSnapshot, Note
from plimsoll.flows import snapshots as flow
from plimsoll.flows.kept_days import day_of
from plimsoll.ports.clock import VirtualClock
from plimsoll.requests.demand import DemandRequest
from simulated import MemoryStore


@pytest.fixture
def setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setting]:
    with collecting(tmp_path, monkeypatch) as found:
        yield found


def test_snapshots_lie_on_even_times_and_the_first_is_taken_at_once(setting: Setting) -> None:
    done = setting.collect(1900.0)
    assert setting.times == ["09:03:30", "09:10:00", "09:20:00", "09:30:00"]
    assert (done.kept, done.unkept, done.interrupted) == (4, 0, False)
    assert done.series == database().location
    assert setting.server.opened == 4
    assert not setting.server.is_open


def test_the_first_step_is_half_a_period_at_least(setting: Setting) -> None:
    setting.clock.sleep(200.0)
    setting.collect(1300.0)
    assert setting.times == ["09:06:50", "09:20:00"]


def test_a_collector_that_is_started_again_goes_on_in_the_same_steps(setting: Setting) -> None:
    for _ in range(5):
        setting.collect(30.0)
    setting.collect(900.0)
    assert setting.times == ["09:03:30", "09:10:00", "09:20:00"]
    assert len({one.collector for one in setting.store.kept}) == 2
    setting.clock.sleep(3600.0)
    setting.collect(30.0)
    assert setting.times[3:] == ["10:21:00"]


@pytest.mark.parametrize(
    "error", ["database-lost", "database-unreachable", "database-refused", "database-slow"]
)
def test_a_server_that_is_away_is_waited_for_and_told_once(setting: Setting, error: str) -> None:
    setting.server.away = [(300.0, 500.0)]
    setting.server.away_error = error
    setting.collect(1200.0)
    assert setting.times == ["09:03:30", "09:11:50", "09:20:00"]
    remarks = [event for event in setting.events if event.kind == "remark"]
    assert [remark.message for remark in remarks] == ["the server does not answer; waiting for it"]


def test_other_errors_end_it(setting: Setting) -> None:
    setting.server.away = [(300.0, 500.0)]
    setting.server.away_error = "database-password-wrong"
    with pytest.raises(WorldError, match="does not answer"):
        setting.collect(1200.0)
    assert len(setting.times) == 1


def test_it_ends_when_it_is_cancelled_while_it_waits_for_the_server(setting: Setting) -> None:
    setting.server.away = [(1.0, 1e9)]
    ended = replace(
        setting.ctx, events=lambda event: setting.ctx.cancel.set() if event.kind == "remark" else None
    )
    asked = DemandRequest(database=URL, every_s=600.0)
    assert flow.collect_snapshots(ended, asked).interrupted
    assert len(setting.times) == 1


def test_old_snapshots_go(setting: Setting) -> None:
    setting.collect(7200.0, keep_s=1800.0)
    assert setting.times[-1] == "11:00:00"
    assert len(setting.times) == 3


def test_what_is_lacking_is_told_at_the_first_snapshot_and_when_it_changes(setting: Setting) -> None:
    blind = Note(code="rights-partial", message="this user may not see what others do")
    setting.server = server = RowsServer(setting.clock)
    server.notes = (blind,)
    server.refused = {"statements": "create the extension"}
    setting.collect(1300.0)
    assert remarks_of(setting) == [
        blind.message,
        "no statements are kept beside the counters: create the extension",
    ]
    assert len(setting.store.kept) == 3
    assert {one.notes for one in setting.store.kept} == {(blind,)}
    server.refused = {"statements": "create the extension", "sizes": "it took too long"}
    setting.collect(600.0)
    assert remarks_of(setting)[2:] == [
        blind.message,
        "no statements are kept beside the counters: create the extension",
        "no sizes are kept beside the counters: it took too long",
    ]


class SetClock(VirtualClock):
    """Somebody sets it: `set_by` says after how many seconds, and by how many."""

    set_by: tuple[float, float] = (0.0, 0.0)

    def now(self) -> datetime:
        after_s, by_s = self.set_by
        passed = self.monotonic_s() >= after_s
        return super().now() + timedelta(seconds=by_s if passed else 0.0)


@pytest.mark.parametrize("by_s", [-7200.0, 3 * 365 * 86_400.0], ids=["back", "years-forward"])
def test_a_clock_that_is_set_removes_nothing_and_stops_nothing(setting: Setting, by_s: float) -> None:
    clock = SetClock(BEGIN)
    setting.ctx = replace(setting.ctx, clock=clock)
    setting.clock, setting.server = clock, RowsServer(clock)
    clock.set_by = (1900.0, by_s)
    done = setting.collect(4000.0, keep_s=86_400.0)
    assert done.kept == len(setting.store.kept) == 8
    steps = [one.snapshot.monotonic_s or 0.0 for one in setting.store.kept]
    assert sorted(steps) == pytest.approx([0.0, 390.0, 990.0, 1590.0, 2190.0, 2790.0, 3390.0, 3990.0], abs=2)
    assert {one.boot for one in setting.store.kept} == {setting.store.kept[0].boot}
    first, *rest = sorted(rows_of(setting, "relations"), key=lambda part: part.taken_at)
    assert {part.after for part in rest if part.after} <= {part.taken_at for part in (first, *rest)}
    assert all(part.after < part.taken_at for part in rest if part.after)


def test_a_clock_that_is_years_ahead_at_the_start_removes_nothing(setting: Setting) -> None:
    """Of the collector's machine, on which the server is, too. It is started again while the clock is ahead."""
    count = setting.collect(7000.0).kept
    setting.clock.sleep(3 * 365 * 86_400.0)
    for _ in range(3):
        setting.collect(7000.0, keep_s=86_400.0, hours_after_s=86_400.0)
    taken = [one.snapshot.taken_at.year for one in setting.store.kept]
    assert taken.count(2026) == count
    assert len(taken) == count + taken.count(2029)
    assert [message.partition(" on stay")[0] for message in remarks_of(setting)] == [
        f"snapshots of {database().location} from 2026-11-20T09:03:30+00:00"
    ] * 3


def test_no_day_is_forgotten_before_it_is_noted(setting: Setting) -> None:
    """Ten days that nobody noted, as their steps were too short; the next collector notes a day with each snapshot."""
    setting.collect(10 * 86_400.0, every_s=3600.0, keep_s=400 * 86_400.0)
    days = {part.taken_at for part in rows_of(setting, "intervals")}
    setting.store.rows = [(of, part) for of, part in setting.store.rows if part.kind != "intervals"]
    setting.collect(7000.0, keep_s=2 * 86_400.0)
    noted = {part.taken_at for part in rows_of(setting, "intervals")}
    kept = {day_of(one.snapshot.taken_at) for one in setting.store.kept}
    assert days <= noted | kept
    assert noted - kept, "what is noted goes"


def test_what_is_old_goes_after_a_time_without_a_collector_too(setting: Setting) -> None:
    """A day of these is as long as a day of the clock, but for the week in which none was taken."""
    setting.collect(7000.0)
    setting.clock.sleep(7 * 86_400.0)
    setting.collect(1.2 * 86_400.0, every_s=3600.0, keep_s=86_400.0)
    assert min(one.snapshot.taken_at for one in setting.store.kept) > setting.clock.now() - 1.1 * DAY


def reverted(setting: Setting, to: datetime) -> None:
    """The machine of the collector and the server is put back: its monotonic clock begins where it was, at this time of day."""
    setting.clock = VirtualClock(to)
    setting.ctx = replace(setting.ctx, clock=setting.clock)
    setting.server = Server(setting.clock)


@pytest.mark.parametrize("after_s", [1800.0, 7200.0], ids=["its-clock-too", "its-clock-set-right"])
def test_a_machine_that_was_put_back_is_recognized_by_what_the_store_holds(
    setting: Setting, after_s: float
) -> None:
    setting.collect(3000.0)
    assert {one.reverts for one in setting.store.kept} == {0}
    first = list(setting.store.kept)
    reverted(setting, BEGIN + timedelta(seconds=after_s))
    for _ in range(2):  # and goes on so, also when the collector is started again
        setting.collect(1500.0)
    assert {one.reverts for one in setting.store.kept if one not in first} == {1}
    reverted(setting, BEGIN + timedelta(seconds=3 * 7200.0))
    setting.collect(700.0)
    assert setting.store.kept[-1].reverts == 2


class OfAnotherLife(MemoryStore):
    """Holds after the second snapshot what its collector kept before its machine was put back, in a time that it lost."""

    def keep_snapshot(self, kept: KeptSnapshot, rows: Sequence[KeptRows] = ()) -> None:
        super().keep_snapshot(kept, rows)
        if len(self.kept) == 2:
            assert kept.snapshot.monotonic_s is not None
            later = {
                "taken_at": kept.snapshot.taken_at + MINUTE,
                "monotonic_s": kept.snapshot.monotonic_s + 60.0,
            }
            super().keep_snapshot(kept.but(snapshot=kept.snapshot.model_copy(update=later)))


def test_a_collector_that_was_put_back_finds_what_it_has_never_taken(setting: Setting) -> None:
    """Though its clock has gone beyond that by now, so that nothing else says so."""
    store = OfAnotherLife()
    setting.ctx, setting.store = replace(setting.ctx, store=store), store
    setting.collect(1900.0)
    assert [one.reverts for one in store.kept] == [0, 0, 0, 1, 1]
    lost = store.kept[2]
    found = flow.demand_of_series(setting.ctx, lost.series, lost.snapshot.taken_at, None)
    assert [one.gap is None for one in found.intervals] == [False, True]


def test_a_store_that_is_full_for_a_while_costs_those_snapshots_and_is_told_once(setting: Setting) -> None:
    store = FullStore(lambda call: call in (2, 3, 5))
    setting.ctx = replace(setting.ctx, store=store)
    done = setting.collect(3700.0)
    assert (done.kept, done.unkept) == (4, 3)
    assert [f"{one.snapshot.taken_at:%H:%M}" for one in store.kept] == ["09:03", "09:30", "09:50", "10:00"]
    told = "a snapshot was not kept, nor are the next ones while this lasts: no space is left. Free some."
    assert remarks_of(setting) == [
        told,
        "snapshots are kept again; 2 were not so far",
        told,
        "snapshots are kept again; 3 were not so far",
    ]


class AwayStore(FullStore):
    """It cannot be asked for its newest snapshot either, as one whose server is away."""

    def newest_snapshot(self, series: str) -> KeptSnapshot | None:
        if self.full(self.calls + 1):
            self.calls += 1
            raise WorldError("store-lost", "the server is away", "Start it.")
        return super().newest_snapshot(series)


def test_a_store_that_is_away_for_a_while_ends_no_collector(setting: Setting) -> None:
    setting.ctx = replace(setting.ctx, store=AwayStore(lambda call: call in (2, 3, 5)))
    done = setting.collect(3700.0)
    assert (done.kept, done.unkept) == (4, 3)


def test_a_store_that_takes_nothing_ends_it_at_once(setting: Setting) -> None:
    setting.ctx = replace(setting.ctx, store=FullStore(lambda call: True))
    with pytest.raises(WorldError, match="no space"):
        setting.collect(1900.0)


@pytest.mark.parametrize("url", [None, "embedded"])
def test_what_does_not_last_has_no_series(setting: Setting, url: str | None) -> None:
    with pytest.raises(UsageError) as refused:
        flow.collect_snapshots(setting.ctx, DemandRequest(database=url, every_s=600.0))
    assert refused.value.id == "demand-source"


def learnt(setting: Setting, **words: Any) -> list[str]:
    run = flow.learn_of_snapshots(setting.ctx, DemandRequest(snapshots="db.example", **words))
    assert run.demand is not None
    assert setting.store.runs[-1] == run
    return [f"{one.begin_time:%H:%M}" for one in run.demand.intervals]


def test_a_demand_is_of_the_time_that_was_asked_for(setting: Setting) -> None:
    setting.collect(3600.0)
    assert learnt(setting)[0] == "09:03"
    assert learnt(setting, since="2026-11-20T09:15+00:00", until="2026-11-20T09:45+00:00") == [
        "09:20",
        "09:30",
    ]
    assert learnt(setting, since="25m") == ["09:40", "09:50"]
    here = datetime(2026, 11, 20, 9, 45, tzinfo=UTC).astimezone().replace(tzinfo=None)
    assert learnt(setting, since=here.isoformat()) == ["09:50"]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ({"snapshots": "elsewhere"}, "series-unknown"),
        ({"snapshots": "."}, "series-ambiguous"),
        ({"snapshots": "db.example", "since": "1m"}, "series-short"),
        ({"snapshots": "db.example", "since": "yesterday"}, "moment-unreadable"),
        ({"snapshots": "db.example", "until": "9999-12-31T23:59-12:00"}, "moment-unreadable"),
    ],
)
def test_what_cannot_be_answered_is_refused(setting: Setting, words: dict[str, str], error: str) -> None:
    setting.collect(1200.0)
    setting.store.kept.append(setting.store.kept[0].model_copy(update={"series": "other.example"}))
    with pytest.raises(UsageError) as refused:
        flow.learn_of_snapshots(setting.ctx, DemandRequest(**words))  # type: ignore[arg-type]
    assert refused.value.id == error


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ({"database": URL, "snapshots": "shop"}, "demand-source"),
        ({"paths": ("awr.txt",), "snapshots": "shop"}, "demand-source"),
        ({"paths": ("awr.txt",), "every_s": 600.0}, "option-idle"),
        ({"snapshots": "shop", "watched_s": 5.0}, "option-idle"),
        ({"database": URL, "since": "7d"}, "option-idle"),
        ({"database": URL, "keep_s": 86400.0}, "option-idle"),
        ({"database": URL, "every_s": 600.0, "out": "demand.json"}, "option-idle"),
        ({"database": URL, "every_s": 600.0, "keep_s": 1000.0}, "usage"),
        ({"database": URL, "hours_after_s": 172_800.0}, "option-idle"),
        ({"database": URL, "every_s": 600.0, "days_after_s": 172_800.0}, "usage"),
    ],
)
def test_options_that_would_do_nothing_are_refused(words: dict[str, Any], error: str) -> None:
    with pytest.raises(UsageError) as refused:
        DemandRequest(**words).refuse_idle(frozenset(words))
    assert refused.value.id == error
