"""What a collector keeps beside its snapshots, and how it thins them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from collecting import FullStore, RowsServer, Setting, collecting, rows_of
from demand_snapshots import database
from plimsoll.base import limits
from plimsoll.base.errors import WorldError
from plimsoll.context import ThinnedDay
from plimsoll.demand.apart import PUT_BACK
from plimsoll.demand.day_intervals import RUNNING, STEP
from plimsoll.demand.deltas import Gap
from plimsoll.demand.gained_rows import Gained
from plimsoll.flows.kept_rows import gained_between
from simulated import MemoryStore


@pytest.fixture
def setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setting]:
    with collecting(tmp_path, monkeypatch) as found:
        yield found


def test_rows_are_kept_with_each_snapshot_and_waits_looked_at_each_second(setting: Setting) -> None:
    setting.server = server = RowsServer(setting.clock)
    setting.collect(1000.0)
    assert setting.times == ["09:03:30", "09:10:00", "09:20:00"]
    assert [one.rows for one in rows_of(setting, "relations")] == [
        "5\tt\t0\n6\tu\t1", "5\tt\t390", "5\tt\t990",
    ]  # fmt: skip
    assert server.steps == [server.steps[0], server.steps[0] + 1, server.steps[0] + 2]
    assert server.opened == 3
    first, second, third = rows_of(setting, "waits")
    assert first.unknown == "nobody has looked yet"
    looks = [part.figures["looks"] or 0.0 for part in (second, third)]
    assert looks == pytest.approx([390.0, 600.0], abs=2)
    assert third.rows == f"client backend\tIO\tDataFileRead\t{looks[1]:.0f}"
    assert third.figures["missed"] == 0.0
    before, _, after = setting.store.kept
    found = gained_between(setting.ctx, "relations", before, after)
    assert isinstance(found, Gained)
    assert [(row.key, dict(row.gains)) for row in found.rows] == [(("5",), {"scans": 990.0})]
    assert gained_between(setting.ctx, "slru", before, after) is None
    put_back = gained_between(setting.ctx, "relations", before.but(boot="b"), after.but(boot="b", reverts=1))
    assert put_back == Gap(PUT_BACK)


def test_looks_at_a_server_that_is_away_are_missed_and_it_is_asked_again(setting: Setting) -> None:
    setting.server = server = RowsServer(setting.clock)
    server.away = [(100.0, 200.0)]
    setting.collect(400.0)
    assert setting.times == ["09:03:30", "09:10:00"]
    _, part = rows_of(setting, "waits")
    assert part.figures["looks"] == pytest.approx(290.0, abs=8)
    assert part.figures["missed"] == pytest.approx(100.0 / limits.COLLECTOR_RETRY_S, abs=2)


def test_rows_that_a_full_store_did_not_take_are_kept_with_the_next(setting: Setting) -> None:
    setting.server = RowsServer(setting.clock)
    store = FullStore(lambda call: call == 2)
    setting.ctx = replace(setting.ctx, store=store)
    setting.store = store
    setting.collect(1000.0)
    assert setting.times == ["09:03:30", "09:20:00"]
    first, third = store.kept_rows(database().location, "relations")
    assert third.after == first.taken_at
    _, waits = store.kept_rows(database().location, "waits")
    assert waits.figures["looks"] == pytest.approx(990.0, abs=4)


def test_days_are_thinned_as_they_age_where_steps_are_long_enough(setting: Setting) -> None:
    setting.collect(1.7 * 86_400.0, hours_after_s=86_400.0)
    first = [one for one in setting.store.kept if one.snapshot.taken_at.day == 20]
    assert {one.snapshot.taken_at.hour for one in first} == set(range(9, 24))
    assert len(first) <= 15 + 1 + 4
    assert sum(one.removed_after for one in first) + len(first) == 90
    assert [len(one.rows.split("\n")) for one in rows_of(setting, "intervals")] == [90, 144, 6]
    assert [one.figures[STEP] for one in rows_of(setting, "intervals")] == [3_600.0, 0.0, RUNNING]


class UnthinnedStore(MemoryStore):
    """Keeps, and lets nobody thin."""

    def thin_snapshots(self, day: ThinnedDay) -> bool:
        raise WorldError("store-locked", "another program holds it", "Close it.")


def test_what_cannot_be_thinned_is_told_once_and_snapshots_go_on(setting: Setting) -> None:
    store = UnthinnedStore()
    setting.ctx = replace(setting.ctx, store=store)
    done = setting.collect(86_400.0)
    assert done.kept == len(store.kept) == 145
    assert [event.message for event in setting.events if event.kind == "remark"] == [
        "snapshots were not thinned: another program holds it"
    ]


def test_short_steps_are_not_thinned_by_the_collector(setting: Setting) -> None:
    setting.collect(16 * 3600.0, every_s=59.0, hours_after_s=86_400.0)
    assert rows_of(setting, "intervals") == []
