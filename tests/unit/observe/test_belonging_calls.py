"""Calls are told of their databases and control groups as I/O at disks is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import cast

import pytest

from plimsoll.facts.watch import WatchWord
from plimsoll.native import call_probe
from plimsoll.observe import file_calls
from plimsoll.observe.belonging import Belonging
from plimsoll.observe.block_io import RowOfFile
from plimsoll.observe.file_calls import FileCalls
from plimsoll.observe.groups import call_groups_of
from plimsoll.observe.tally import Wanted
from seen_calls import CallsProbe, called


class ByProcess(Belonging):
    """An even process is of shop, an odd one's database is not known."""

    def told(self, rows: Sequence[RowOfFile], unknown: Counter[WatchWord]) -> list[RowOfFile]:
        for row in rows:
            unknown["database"] += row.ios if (row.pid or 0) % 2 else 0
        return [row.belonging(None if (row.pid or 0) % 2 else "shop", None, None) for row in rows]


def seen(wanted: Wanted) -> FileCalls:
    rows = [called(owner_pid=8, calls=60), called(owner_pid=9, calls=40)]
    probe = cast("call_probe.CallProbe", CallsProbe([], rows))
    calls = FileCalls(probe, wanted, belonging=ByProcess(("database",)))
    calls.begin()
    calls.cut()
    calls.look(list)
    return calls


def test_they_are_told_apart_and_counted_where_it_is_unknown() -> None:
    calls = seen(Wanted())
    found = calls.facts(10.0, True)
    assert {row.database: row.calls for row in found} == {"shop": 60, None: 40}
    assert calls.unknown == {"database": 40}
    groups = call_groups_of(found, ("database",), 10.0)
    assert {(one.database, one.calls, one.calls_per_s) for one in groups} == {
        ("shop", 60, 6.0),
        (None, 40, 4.0),
    }


def test_those_of_another_database_are_left_out() -> None:
    calls = seen(Wanted(databases=("shop",)))
    assert [row.calls for row in calls.facts(10.0, True)] == [60]
    assert calls.met >= {"of the database shop"}
    assert calls.unknown == {"database": 40}, "they may be of it"


def test_rows_beyond_those_that_are_told_apart_keep_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_calls, "ROWS_MAX", 0)
    calls = seen(Wanted())
    found = calls.facts(10.0, True)
    assert {(row.role, row.database, row.calls) for row in found} == {
        ("others", "shop", 60),
        ("others", None, 40),
    }
    monkeypatch.setattr(file_calls, "BELONGS_MAX", 0)
    found = seen(Wanted()).facts(10.0, True)
    assert {(row.role, row.database, row.calls) for row in found} == {("others", None, 100)}
