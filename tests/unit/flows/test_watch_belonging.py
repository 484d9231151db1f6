"""Databases, tablespaces and control groups in a watch of made readings: what is shown, what is left out, and what is said."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import facts_runs
from plimsoll.base.errors import ExitStatus
from plimsoll.context import Context
from plimsoll.facts import Event, Run, Tick, Watch
from plimsoll.facts.watch import WatchWord
from plimsoll.flows import watch as flow
from plimsoll.observe.belonging import Belonging
from plimsoll.observe.block_io import BlockIo, RowOfFile
from plimsoll.observe.server_names import ServerNames
from plimsoll.observe.tally import Wanted
from plimsoll.observe.watching import Watching
from plimsoll.ports.clock import VirtualClock
from plimsoll.requests.watch import WatchRequest
from plimsoll.results import Grid, status
from plimsoll.results.watch import RESULT, live_table
from seen_io import Readings, block_io, reading
from simulated import context
from watched_io import Counted, codes


@pytest.fixture
def heard() -> list[Event]:
    return []


@pytest.fixture
def ctx(tmp_path: Path, heard: list[Event]) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield replace(made, clock=VirtualClock(), events=heard.append)


class Told(Belonging):
    """By the role: the kernel's is not known."""

    def told(self, rows: Sequence[RowOfFile], unknown: Counter[WatchWord]) -> list[RowOfFile]:
        labels = {"checkpointer": ("shop", "fast", "/db.slice/pg"), "fio": ("none", "none", "/user")}
        found = []
        for row in rows:
            every = zip(("database", "tablespace", "cgroup"), labels.get(row.role, (None,) * 3), strict=True)
            found.append(row.belonging(*(label if word in self.words else None for word, label in every)))
        for row in found:
            for word in self.words:
                unknown[word] += 0 if row.role in labels else row.ios
        return found


ROWS = (
    block_io(role="checkpointer", operation="write", ios=10),
    block_io(role="checkpointer", operation="write", ios=5, device="sdb"),
    block_io(role="fio", ios=12),
    block_io(role="kernel", pid=None, operation="write", ios=3),
)


def seen(ctx: Context, rows: Sequence[BlockIo] = ROWS, **asked: Any) -> Watch:
    request = WatchRequest(**{"watched_s": 2.0, **asked})
    wanted = Wanted((), (), (), request.databases, request.tablespaces, request.cgroups)
    by: Any = request.by
    readings = Readings(reading(), reading(*rows), reading(*rows))
    watching = Watching(
        readings, ctx.clock, wanted, Counted(60), by=by, belonging=Told({*by, *wanted.belongs})
    )
    return flow.watched(ctx, request, watching)


def test_rows_are_put_together_by_what_is_asked_for_at_each_tick_and_in_all(
    ctx: Context, heard: list[Event]
) -> None:
    found = seen(ctx, by=("database",))
    assert [(one.database, one.operation, one.ios) for one in found.groups] == [
        ("shop", "write", 30),
        ("none", "read", 24),
        (None, "write", 6),
    ]
    assert found.by == ("database",)
    ticks = [event for event in heard if isinstance(event, Tick)]
    told = [[(one.database, one.operation, one.ios) for one in tick.groups] for tick in ticks]
    assert told == [[("shop", "write", 15), ("none", "read", 12), (None, "write", 3)]] * 2
    assert {one.latency_us.hdr for tick in ticks for one in tick.groups} == {None}
    assert [tick.by for tick in ticks] == [("database",)] * 2
    assert sum(one.ios for one in found.groups) == sum(row.ios for row in found.rows) == 60


@pytest.mark.parametrize(
    ("asked", "ios"),
    [
        ({"databases": ("shop",)}, 30),
        ({"databases": ("shop", "none")}, 54),
        ({"tablespaces": ("fast",)}, 30),
        ({"cgroups": ("/db.slice",)}, 30),
        ({"cgroups": ("/",)}, 54),
        ({"databases": ("shop",), "cgroups": ("/user",)}, 0),
    ],
)
def test_what_is_of_others_is_left_out_and_what_may_be_of_it_is_told(
    ctx: Context, asked: dict[str, Any], ios: int
) -> None:
    found = seen(ctx, **asked)
    assert sum(row.ios for row in found.rows) == ios
    assert found.groups == ()
    assert sum(device.ios for device in found.devices) == 60, "of all owners, whatever is asked for"
    notes = {note.code: note.message for note in found.notes}
    word = next(iter(asked))
    code = {
        "databases": "databases-unknown",
        "tablespaces": "tablespaces-unknown",
        "cgroups": "cgroups-unknown",
    }[word]
    assert notes[code].startswith("of 6 I/Os that read or write the ")
    assert "they are not among what was asked for" in notes[code]


def test_what_is_unknown_is_said_and_in_its_rows(ctx: Context) -> None:
    found = seen(ctx, by=("database", "cgroup"))
    assert {"databases-unknown", "cgroups-unknown"} <= codes(found)
    assert "it is unknown in their rows" in next(
        n.message for n in found.notes if n.code == "databases-unknown"
    )


def test_a_database_that_no_io_was_of_is_told(ctx: Context) -> None:
    found = seen(ctx, databases=("crm",), tablespaces=("slow",), cgroups=("/db.slice", "/none"))
    told = [note.message for note in found.notes if note.code == "filter-unmatched"]
    assert [message.partition(" was among")[0] for message in told] == [
        "no I/O of the database crm",
        "no I/O of the tablespace slow",
        "no I/O in the control group /db.slice",
        "no I/O in the control group /none",
    ]


def test_nobody_asked_and_nothing_is_told(ctx: Context) -> None:
    watching = Watching(Readings(reading(), reading(*ROWS)), ctx.clock, counters=Counted(30))
    found = flow.watched(ctx, WatchRequest(watched_s=1.0), watching)
    assert (found.by, found.groups, found.call_groups) == ((), (), ())
    assert {(row.database, row.tablespace, row.cgroup) for row in found.rows} == {(None, None, None)}
    assert not {code for code in codes(found) if code.endswith("-unknown")}


def test_a_server_that_tells_no_names_any_more_reaches_the_status(ctx: Context) -> None:
    belonging = Told(("database",))
    belonging.names = cast("ServerNames", SimpleNamespace(unknown_because="the session broke"))
    watching = Watching(
        Readings(reading(), reading(*ROWS)),
        ctx.clock,
        counters=Counted(30),
        by=("database",),
        belonging=belonging,
    )
    found = flow.watched(ctx, WatchRequest(watched_s=1.0), watching)
    assert found.relations_unknown_because == "the session broke"
    assert "relations-unknown" in codes(found)
    run = Run.model_construct(kind="watch", results={"watch": found}, interrupted=False, notes=())
    assert status(run) is ExitStatus.DONE_IN_PART


def grids(found: Watch) -> list[Grid]:
    run = facts_runs.watch_run().model_copy(update={"results": {"watch": found}})
    assert RESULT.blocks is not None
    return [block for block in RESULT.blocks(run) if isinstance(block, Grid)]


def test_tables_of_groups_and_of_rows_show_the_same(ctx: Context, heard: list[Event]) -> None:
    found = seen(ctx, by=("database", "cgroup"))
    groups, rows, _ = grids(found)
    assert groups.caption.startswith("I/O by database and control group; ")
    assert groups.table.columns[:3] == ("database", "control group", "operation")
    assert [row[:3] for row in groups.table.rows] == [
        ("shop", "/db.slice/pg", "write"),
        ("none", "/user", "read"),
        ("unknown", "unknown", "write"),
    ]
    columns = [rows.table.columns.index(name) for name in ("who", "database", "control group")]
    assert "tablespace" not in rows.table.columns
    assert {tuple(row[column] for column in columns) for row in rows.table.rows} == {
        ("checkpointer", "shop", "/db.slice/pg"),
        ("fio", "none", "/user"),
        ("kernel for sda", "unknown", "unknown"),
    }
    tick = next(event for event in heard if isinstance(event, Tick))
    live = live_table(tick)
    assert live.columns == groups.table.columns
    assert [row[:3] for row in live.rows] == [row[:3] for row in groups.table.rows]


def test_a_row_that_only_a_filter_asked_for_has_its_column(ctx: Context) -> None:
    (rows, _) = grids(seen(ctx, databases=("shop",)))
    assert "database" in rows.table.columns
    assert "tablespace" not in rows.table.columns


def test_a_stored_run_has_the_same(ctx: Context) -> None:
    found = seen(ctx, by=("tablespace",))
    again = Watch.model_validate(json.loads(found.model_dump_json()))
    assert again == found
    old = json.loads(found.model_dump_json())
    for name in ("by", "groups", "call_groups"):
        del old[name]
    for row in old["rows"]:
        for name in ("database", "tablespace", "cgroup"):
            del row[name]
    assert Watch.model_validate(old).groups == (), "runs of before have none"
