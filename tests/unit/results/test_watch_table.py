"""Columns of live I/O that say nothing of all rows are left out, and are there where they say something."""

from __future__ import annotations

from collections.abc import Sequence

import facts_runs
import facts_watch
from plimsoll.base.errors import ExitStatus
from plimsoll.facts import BindingLimit, WatchedCall, WatchedIo
from plimsoll.native.latency import latency_of_counts
from plimsoll.results import Grid, answer, status
from plimsoll.results.watch import RESULT


def grid(rows: Sequence[WatchedIo]) -> Grid:
    found = facts_watch.watch().but(rows=tuple(rows))
    run = facts_runs.watch_run().model_copy(update={"results": {"watch": found}})
    assert RESULT.blocks is not None
    return next(block for block in RESULT.blocks(run) if isinstance(block, Grid))


def test_one_disk_is_named_above_and_no_error_has_no_column() -> None:
    found = grid([facts_watch.row(), facts_watch.row(role="checkpointer")])
    assert not {"disk", "errors"} & {*found.table.columns}
    assert f" at {facts_watch.row().device}; " in found.caption
    assert {len(row) for row in found.table.rows} == {len(found.table.columns)} == {len(found.table.numeric)}


def test_what_workers_of_postgresql_read_is_said_to_be_for_others() -> None:
    found = grid([facts_watch.row(role="io worker"), facts_watch.row(role="client backend")])
    assert [row[found.table.columns.index("who")] for row in found.table.rows] == [
        "io worker for others",
        "client backend",
    ]


def test_limits_are_shown_where_they_bind_and_silent_else() -> None:
    assert RESULT.blocks is not None

    def shown(limits: tuple[BindingLimit, ...] | None) -> list[Grid]:
        found = facts_watch.watch().but(limits=limits)
        run = facts_runs.watch_run().model_copy(update={"results": {"watch": found}})
        assert RESULT.blocks is not None
        grids = [block for block in RESULT.blocks(run) if isinstance(block, Grid)]
        return [grid for grid in grids if grid.caption == "Limits that held I/O back"]

    assert shown(None) == shown(()) == []
    (found,) = shown(
        (facts_watch.limit(), facts_watch.limit(name="vm.dirty", of=None, unit="bytes", value=1 << 20))
    )
    assert [row[:3] for row in found.table.rows] == [
        ("queue_depth", "sda", "32"),
        ("vm.dirty", "the host", "1 MiB"),
    ]
    (cap,) = shown((facts_watch.limit(looks=10, looked=10),))
    assert cap.table.rows[0][4] == "10 of 10"


def test_a_percentile_beyond_the_kernels_steps_is_more_than_their_end() -> None:
    ends_at_us = 2.0**35 / 1_000
    beyond, within = (latency_of_counts([(us, 1_000)]) for us in (ends_at_us, 0.99 * ends_at_us))
    found = grid([facts_watch.row(latency_us=beyond), facts_watch.row(latency_us=within)])
    columns = [found.table.columns.index(name) for name in ("p50", "p99", "p99.9")]
    assert [[row[column] for column in columns] for row in found.table.rows] == [
        ["more than 34.4 s"] * 3,
        ["34 s"] * 3,
    ]


def test_what_differs_has_its_column() -> None:
    found = grid([facts_watch.row(), facts_watch.row(device="sdb", errors=3)])
    disks, errors = (found.table.columns.index(name) for name in ("disk", "errors"))
    assert [(row[disks], row[errors]) for row in found.table.rows] == [("sda", "0"), ("sdb", "3")]
    assert found.table.columns[-1] == "file"


def test_the_headline_names_the_end_of_a_long_path_and_the_table_all_of_it() -> None:
    long = "/var/lib/postgresql/18/main/base/5/16384"
    said = {path: _answer_of(path) for path in (long, "/srv/log/1", "/a/b/c/d")}
    assert said[long].endswith("most by client backend: read of …/base/5/16384")
    assert said["/srv/log/1"].endswith("read of /srv/log/1")
    assert said["/a/b/c/d"].endswith("read of …/b/c/d")
    found = grid([facts_watch.row(file=long, file_kind="inode", inode_number=7)])
    assert found.table.rows[0][found.table.columns.index("file")] == long


def _answer_of(path: str) -> str:
    row = facts_watch.row(
        role="client backend", operation="read", file=path, file_kind="inode", inode_number=7
    )
    found = facts_watch.watch().but(rows=(row,), lost_ios=0, devices=())
    return answer(facts_runs.watch_run().model_copy(update={"results": {"watch": found}}))


def test_calls_are_shown_where_they_were_asked_for_with_columns_that_say_something() -> None:
    def shown(calls: tuple[WatchedCall, ...] | None) -> list[Grid]:
        found = facts_watch.watch().but(calls=calls)
        run = facts_runs.watch_run().model_copy(update={"results": {"watch": found}})
        assert RESULT.blocks is not None
        grids = [block for block in RESULT.blocks(run) if isinstance(block, Grid)]
        return [grid for grid in grids if grid.caption.startswith("What programs called for")]

    assert shown(None) == shown(()) == []
    (usual,) = shown((facts_watch.call(),))
    assert not {"how", "errors"} & {*usual.table.columns}
    (row,) = usual.table.rows
    assert row[usual.table.columns.index("from cache")] == "90 %"
    (odd,) = shown(
        (facts_watch.call(is_direct=True, is_synchronous=True, cached_share=None, errors=2, file=None),)
    )
    (row,) = odd.table.rows
    told = dict(zip(odd.table.columns, row, strict=True))
    assert (told["how"], told["errors"], told["from cache"], told["file"]) == (
        "direct, sync",
        "2",
        "–",
        "inode 4711",
    )


def test_calls_that_are_missing_reach_headline_and_status() -> None:
    found = facts_watch.watch().but(calls=(facts_watch.call(),), lost_calls=7)
    run = facts_runs.watch_run().model_copy(update={"results": {"watch": found}})
    assert "7 calls are missing" in answer(run)
    assert status(run) == ExitStatus.DONE_IN_PART


def test_calls_without_any_io_at_disks_are_an_answer() -> None:
    found = facts_watch.watch().but(rows=(), devices=(), calls=(facts_watch.call(),), lost_calls=0)
    run = facts_runs.watch_run().model_copy(update={"results": {"watch": found}})
    assert "calls on files per second" in answer(run)
    assert status(run) == ExitStatus.DONE
    none = run.model_copy(update={"results": {"watch": found.but(calls=())}})
    assert "calls" not in answer(none)
    assert status(none) == ExitStatus.DONE_IN_PART
