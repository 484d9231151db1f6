"""The headline of live I/O: its rates are those of the table of disks, it names who did most in all, and what failed."""

from __future__ import annotations

from typing import Any

import pytest

import facts_runs
import facts_watch
from plimsoll.base.errors import ExitStatus
from plimsoll.facts import Run, WatchedIo
from plimsoll.observe.block_io import BlockIo
from plimsoll.observe.seen_twice import SeenTwice
from plimsoll.observe.tally import Tally
from plimsoll.results import Grid, answer, compared_of, status
from plimsoll.results.watch import RESULT, who
from seen_io import block_io

UNKNOWN: dict[str, Any] = {"file": None, "file_kind": "unknown", "inode_number": None}
NOTHING: dict[str, Any] = {**UNKNOWN, "bytes": 0, "sizes": (), "size_bytes_mean": None, "queue_us_mean": None}


def run(*rows: WatchedIo) -> Run:
    """Of half a minute."""
    found = facts_watch.watch().but(rows=rows, lost_ios=0, devices=())
    return facts_runs.watch_run().model_copy(update={"results": {"watch": found}})


def flush(operation: str, role: str, **given: Any) -> WatchedIo:
    return facts_watch.row(operation=operation, role=role, **{"ios": 3_000, **NOTHING, **given})


def test_a_flush_counts_once_as_it_does_at_the_disk() -> None:
    """A commit is a write and a request for a flush; the flush that follows is the kernel's own."""
    writes = facts_watch.row(role="client backend", ios=3_000)
    asked, made = flush("flush-request", "client backend"), flush("flush", "kernel", processes=0)
    discards = flush("discard", "kernel", processes=0, ios=9_000)
    found = run(discards, writes, asked, made)
    assert answer(found).startswith("200 I/Os per second, 0.8 MB/s; most by client backend: write")
    assert compared_of(found)[1].figures(found)[0].value == 200.0
    assert answer(run(made)).startswith("100 I/Os per second, 0 MB/s; most by kernel: flush of sda")


def test_rows_that_are_not_added_up_have_a_headline_too() -> None:
    """All of them are seen at other disks as well, whose rows are missing."""
    found = run(facts_watch.row(role="client backend", is_again=True))
    assert "; most by client backend: " in answer(found)


def test_who_did_most_in_all_of_his_rows_is_named_and_not_the_largest_row() -> None:
    files = [
        facts_watch.row(role="client backend", ios=4_000, file=f"/data/base/5/{number}") for number in (1, 2)
    ]
    found = run(facts_watch.row(role="checkpointer", ios=6_000, file="/data/base/5/3"), *files)
    assert answer(found).endswith("most by client backend: write of …/base/5/1")


def test_the_kernel_is_one_for_whatever_it_was() -> None:
    rows = [facts_watch.row(role="kernel", ios=4_000, file=f"/data/base/5/{number}") for number in (1, 2)]
    assert answer(run(facts_watch.row(role="fio", ios=6_000), *rows)).endswith("kernel: write of …/base/5/1")


def test_what_failed_reaches_headline_status_and_comparison() -> None:
    failed = facts_watch.row(role="fio", errors=12)
    found = run(failed, facts_watch.row(role="dd"), flush("flush-request", "dd", errors=1))
    assert answer(found).endswith("; 13 I/Os failed, of fio, dd")
    assert status(found) is ExitStatus.ANSWER_IS_NO
    assert "13 I/Os failed, of fio, dd" in list(compared_of(found)[1].doubts(found))
    assert status(run(facts_watch.row())) is ExitStatus.DONE


def test_a_flush_that_fails_is_told_of_who_asked_for_it_else_of_the_kernel() -> None:
    asked, made = flush("flush-request", "dd", errors=1), flush("flush", "kernel", errors=1)
    assert answer(run(asked, made)).endswith("; 1 I/O failed, of dd")
    assert answer(run(flush("flush-request", "dd"), made)).endswith("; 1 I/O failed, of kernel")


@pytest.mark.parametrize("operation", ["other", "discard"])
def test_what_fails_and_loses_nothing_is_in_its_column_alone(operation: str) -> None:
    """A disk refuses a look at its health that it does not know."""
    refused = flush(operation, "smartd", errors=3)
    found = run(facts_watch.row(role="fio"), refused)
    assert ("failed" in answer(found), status(found)) == (False, ExitStatus.DONE)
    assert status(run(refused)) is ExitStatus.DONE
    failed = run(facts_watch.row(role="fio", errors=1), refused)
    assert answer(failed).endswith("; 1 I/O failed, of fio")
    assert RESULT.blocks is not None
    (grid, *_) = [block for block in RESULT.blocks(found) if isinstance(block, Grid)]
    assert [row[grid.table.columns.index("errors")] for row in grid.table.rows] == ["0", "3"]


@pytest.mark.parametrize("operation", ["flush", "discard"])
def test_a_disk_above_of_whose_ios_none_counts_is_not_said_to_be_left_out(operation: str) -> None:
    upper = {"device": "loop0", "above": ("sda",)}
    row = flush(operation, "kernel", **upper)
    assert "beside" not in answer(run(facts_watch.row(), row))
    written = facts_watch.row(**upper, ios=300)
    assert "; beside these 10 at loop0, which lie on" in answer(run(facts_watch.row(), row, written))


@pytest.mark.parametrize(("errors", "mb_per_s"), [(0, 0.8192), (25, 0.6144), (100, 0.0)])
def test_what_failed_moved_nothing(errors: int, mb_per_s: float) -> None:
    tally = Tally()
    seen: BlockIo = block_io(ios=100, bytes=819_200, errors=errors)
    tally.add([seen])
    (row,) = tally.rows(1.0, SeenTwice())
    assert (row.bytes, row.mb_per_s) == (819_200, pytest.approx(mb_per_s))


def test_what_the_kernel_writes_is_for_the_relation_where_that_is_known() -> None:
    row = facts_watch.row(role="kernel", file="/data/base/5/16384")
    assert (who(row), who(row.but(relation="public.orders"))) == (
        "kernel for 16384",
        "kernel for public.orders",
    )
