"""Snapshots in every kind of store: what was kept comes back exactly, in the order of time, beside the runs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

import facts_runs
from demand_snapshots import START, database, row, snapshot
from plimsoll.base.errors import WorldError
from plimsoll.context import ThinnedDay
from plimsoll.facts import KeptRows, KeptRowsKind, KeptSnapshot, Note, RelationCounters
from plimsoll.store import SqlStore, open_store
from plimsoll.store.schema import SNAPSHOT_ROWS, SNAPSHOTS
from plimsoll.store.snapshots import Span
from store_places import Locate, row_count, session_of

TABLE = RelationCounters(
    schema_name="s", name="t", heap_blocks_read=1, heap_blocks_hit=2, index_blocks_read=3, index_blocks_hit=4, rows_inserted=5,
    rows_updated=6, rows_deleted=7, sequential_scans=8,
)  # fmt: skip


def kept(number: int, series: str = "me@db/shop") -> KeptSnapshot:
    """One of each minute."""
    return KeptSnapshot(
        series=series,
        database=database(),
        snapshot=snapshot(60.0 * number, (row(reads=number),), relations=(TABLE,), database_oids=(1, 5)),
        collector="20250102-030405-aaaaaa",
        notes=(Note(code="standby", message="this is a standby"),),
    )


def test_what_was_kept_comes_back_exactly_in_order(store: SqlStore) -> None:
    count = 2 * Span("").at_once + 3
    for number in reversed(range(count)):
        store.keep_snapshot(kept(number))
    store.keep_snapshot(kept(0, "another"))
    assert list(store.snapshots("me@db/shop")) == [kept(number) for number in range(count)]
    assert list(store.snapshots("nobody")) == []
    assert store.summaries() == []


def test_of_a_time_both_ends_belong_to_it(store: SqlStore) -> None:
    for number in range(6):
        store.keep_snapshot(kept(number))
    since, until = (START + timedelta(minutes=minute) for minute in (1, 3))
    found = store.snapshots("me@db/shop", since, until)
    assert [one.snapshot.taken_at for one in found] == [
        START + timedelta(minutes=minute) for minute in (1, 2, 3)
    ]
    assert len(list(store.snapshots("me@db/shop", until=since))) == 2


def test_series_are_listed_and_old_snapshots_forgotten(store: SqlStore) -> None:
    for number in range(4):
        store.keep_snapshot(kept(number))
        store.keep_snapshot(kept(number, "another"))
    store.forget_snapshots("me@db/shop", START + timedelta(minutes=2))
    another, shop = store.snapshot_series()
    assert (another.series, another.snapshots) == ("another", 4)
    assert (shop.series, shop.snapshots) == ("me@db/shop", 2)
    assert (shop.first_at, shop.last_at) == (START + timedelta(minutes=2), START + timedelta(minutes=3))
    assert 0 < shop.size_bytes < another.size_bytes


def rows(number: int, kind: KeptRowsKind = "relations") -> KeptRows:
    """Of the snapshot of that minute."""
    return KeptRows(
        kind=kind, taken_at=kept(number).snapshot.taken_at, after=START if number else None, columns=("oid", "name", "scans"),
        names=1, rows=f"5\tt\u00e9\\t\t{number}\n6\t\\N\t1", gone=("7",), left_out=("8",), figures={"shares": 3.0, "odd": None},
        reset_at=START,
    )  # fmt: skip


def test_rows_come_back_exactly_by_kind_and_go_with_their_snapshots(store: SqlStore) -> None:
    days = 1440
    for number in (0, 1, 3 * days, 3 * days + 1):
        store.keep_snapshot(kept(number), [rows(number), rows(number, "slru")])
    store.keep_snapshot(kept(3, "another"), [rows(3)])
    before = store.snapshot_series()[1].size_bytes
    assert list(store.kept_rows("me@db/shop", "slru", until=START)) == [rows(0, "slru")]
    assert [
        one.taken_at for one in store.kept_rows("me@db/shop", "relations", since=START + timedelta(1))
    ] == [kept(number).snapshot.taken_at for number in (3 * days, 3 * days + 1)]
    assert list(store.kept_rows("me@db/shop", "waits")) == list(store.kept_rows("nobody", "slru")) == []
    store.keep_snapshot(kept(2), [rows(2, "intervals")])
    store.forget_snapshots("me@db/shop", START + timedelta(3))
    assert len(list(store.snapshots("me@db/shop"))) == 2
    # Those of the two days before, which the oldest kept snapshot may need, are there for two days more; what intervals asked
    # for stays.
    assert list(store.kept_rows("me@db/shop", "intervals")) == [rows(2, "intervals")]
    assert len(list(store.kept_rows("me@db/shop", "relations"))) == 2
    assert list(store.kept_rows("another", "relations")) == [rows(3)]
    assert store.snapshot_series()[1].size_bytes < before


def test_series_are_removed_together_as_they_were_seen(store: SqlStore) -> None:
    for series in ("me@db/shop", "another", "third"):
        for number in range(3):
            store.keep_snapshot(kept(number, series), [rows(number)])
        store.keep_snapshot(kept(1, series), [rows(1, "intervals")])
    another, shop, third = store.snapshot_series()
    store.keep_snapshot(kept(9, "me@db/shop"), [rows(9)])
    assert store.forget_series([another, shop]) == "me@db/shop"
    assert [one.snapshots for one in store.snapshot_series()] == [3, 4, 3]
    assert len(list(store.kept_rows("another", "relations"))) == 3
    store.forget_snapshots("third", START + timedelta(seconds=30))
    assert store.forget_series([another, third]) == "third"
    assert store.forget_series([another, store.snapshot_series()[1]]) is None
    assert store.series_names() == ["third"]
    for kind in ("relations", "intervals"):
        assert list(store.kept_rows("another", kind)) == list(store.kept_rows("me@db/shop", kind)) == []
    assert list(store.kept_rows("third", "intervals")) == [rows(1, "intervals")]


def test_a_store_from_before_rows_is_read_and_gets_their_table(locate: Locate) -> None:
    location = locate("before")
    store = open_store(location)
    store.keep_snapshot(kept(1))
    with session_of(location) as session:
        session.execute(f"DROP TABLE {SNAPSHOT_ROWS}")
        session.execute("UPDATE plimsoll_store SET derived = 'earlier'")
    assert [one.snapshots for one in store.snapshot_series()] == [1]
    assert list(store.kept_rows("me@db/shop", "slru")) == []
    store.forget_snapshots("me@db/shop", START)
    store.keep_snapshot(kept(2), [rows(2)])
    assert list(store.kept_rows("me@db/shop", "relations")) == [rows(2)]


def test_the_same_moment_is_kept_once(store: SqlStore) -> None:
    for _ in range(2):
        store.keep_snapshot(kept(1))
    assert [one.snapshots for one in store.snapshot_series()] == [1]


def test_a_store_from_before_snapshots_is_read_and_gets_their_table(locate: Locate) -> None:
    location = locate("before")
    store = open_store(location)
    store.save(facts_runs.io_run())
    with session_of(location) as session:
        session.execute(f"DROP TABLE {SNAPSHOTS}")
        session.execute("UPDATE plimsoll_store SET derived = 'earlier'")
    assert store.snapshot_series() == list(store.snapshots("me@db/shop")) == []
    store.forget_snapshots("me@db/shop", START)
    store.keep_snapshot(kept(1))
    assert list(store.snapshots("me@db/shop")) == [kept(1)]
    assert store.load("latest") == facts_runs.io_run()
    with session_of(location) as session:
        assert row_count(session, SNAPSHOTS) == 1


@pytest.mark.parametrize(
    "change", ["zlib = substr(zlib, 2)", "size_bytes = size_bytes - 1", "size_bytes = 1099511627776"]
)
def test_what_no_plimsoll_wrote_is_named(locate: Locate, change: str) -> None:
    location = locate("odd")
    store = open_store(location)
    store.keep_snapshot(kept(1))
    with session_of(location) as session:
        session.execute(f"UPDATE {SNAPSHOTS} SET {change}")
    with pytest.raises(WorldError, match="the snapshots of me@db/shop") as damaged:
        list(store.snapshots("me@db/shop"))
    assert damaged.value.id == "store-damaged"


def thinned_day(**changes: Any) -> ThinnedDay:
    """Of four minutes the middle ones go."""
    seen = frozenset(kept(number).snapshot.taken_at for number in range(4))
    base: dict[str, Any] = {
        "series": "me@db/shop", "begin": START, "end": START + timedelta(minutes=4), "seen": seen,
        "seen_rows": frozenset(("slru", moment) for moment in seen), "kinds": frozenset({"slru", "intervals"}),
        "rows": (rows(0, "slru"), rows(0, "intervals")), "removed": tuple(sorted(seen)[1:3]),
        "changed": (kept(0).but(removed_after=2),),
    }  # fmt: skip
    return ThinnedDay(**{**base, **changes})


def test_a_thinned_day_takes_the_place_of_what_was_there(store: SqlStore) -> None:
    for number in range(5):
        store.keep_snapshot(kept(number), [rows(number, "slru"), rows(number)])
        store.keep_snapshot(kept(number, "another"), [rows(number, "slru")])
    assert store.thin_snapshots(thinned_day())
    assert list(store.snapshots("me@db/shop")) == [kept(0).but(removed_after=2), kept(3), kept(4)]
    assert list(store.kept_rows("me@db/shop", "slru")) == [rows(0, "slru"), rows(4, "slru")]
    assert list(store.kept_rows("me@db/shop", "relations")) == [rows(number) for number in range(5)]
    assert list(store.kept_rows("me@db/shop", "intervals")) == [rows(0, "intervals")]
    assert len(list(store.snapshots("another"))) == len(list(store.kept_rows("another", "slru"))) == 5
    assert store.series_names() == ["another", "me@db/shop"]
    assert store.newest_snapshot("me@db/shop") == kept(4)
    assert store.newest_snapshot("nobody") is None


@pytest.mark.parametrize("what", ["a snapshot more", "rows more", "a snapshot less"])
def test_a_day_that_somebody_else_changed_stays_as_it_is(store: SqlStore, what: str) -> None:
    for number in range(4 if what != "a snapshot less" else 3):
        store.keep_snapshot(kept(number), [rows(number, "slru")])
    if what == "a snapshot more":
        store.keep_snapshot(kept(3).but(snapshot=kept(3).snapshot.but(taken_at=START + timedelta(seconds=7))))
    if what == "rows more":
        store.keep_snapshot(kept(0), [rows(0, "intervals")])
    before = [list(store.snapshots("me@db/shop")), list(store.kept_rows("me@db/shop", "slru"))]
    assert not store.thin_snapshots(thinned_day())
    assert [list(store.snapshots("me@db/shop")), list(store.kept_rows("me@db/shop", "slru"))] == before
