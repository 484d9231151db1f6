"""What `plimsoll watch` says of what is missing or has no name, with made readings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from plimsoll.context import Context
from plimsoll.flows import watch as flow
from plimsoll.native import call_probe
from plimsoll.observe import file_calls
from plimsoll.observe.tally import Wanted
from plimsoll.observe.watching import Watching
from plimsoll.ports.clock import VirtualClock
from plimsoll.requests.watch import WatchRequest
from seen_calls import CallsProbe, called
from seen_io import Readings, block_io, reading
from simulated import context
from watched_io import Counted, codes, seen


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield replace(made, clock=VirtualClock())


def test_what_is_missing_and_what_has_no_name_is_told(ctx: Context) -> None:
    rows = (
        block_io(role="postgres", is_untitled=True, ios=10),
        block_io(role="postgres", ios=3),
        block_io(role="kernel", pid=None, file_kind="inode", inode_number=7, ios=15),
        block_io(file_kind="inode", inode_number=8, file="/known", ios=5),
    )
    found = seen(ctx, reading(lost_ios=4), reading(*rows, lost_ios=9, unbegun=2))
    assert (found.lost_ios, found.unbegun) == (5, 2)
    told = {note.code: note.message for note in found.notes}
    assert "5 I/Os are in no row" in told["ios-lost"]
    assert "10 I/Os" in told["owners-gone"]
    assert "75 %" in told["files-nameless"]


def test_processes_that_proc_hides_are_not_said_to_have_ended(ctx: Context) -> None:
    found = seen(ctx, reading(), reading(block_io(role="postgres", is_hidden=True, ios=30)))
    (note,) = found.notes
    assert note.code == "owners-hidden"
    assert note.message.startswith("30 I/Os are of processes of databases whose title /proc does not show")
    assert "CAP_SYS_PTRACE" in note.message


def test_an_older_kernel_names_who_handed_a_request_to_the_disk(ctx: Context) -> None:
    found = seen(ctx, reading(begin=None), reading(block_io(ios=30), begin=None))
    assert codes(found) == {"owners-at-issue"}


def test_why_direct_io_has_no_file_is_told_where_some_has_none(ctx: Context) -> None:
    rows = (block_io(ios=30), block_io(ios=4, file_kind="inode", inode_number=8, file="/known"))
    found = seen(ctx, reading(names_direct=False), reading(*rows, names_direct=False))
    assert [note.message[:24] for note in found.notes if note.code == "direct-files-unknown"] == [
        "30 I/Os have no file, th"
    ]
    named = seen(ctx, reading(names_direct=False), reading(rows[1], names_direct=False))
    assert "direct-files-unknown" not in codes(named)


def test_what_was_asked_for_and_is_true_of_no_io_is_told_with_the_roles_that_are(ctx: Context) -> None:
    rows = (block_io(ios=10), block_io(role="walwriter", file="/pg_wal/1", file_kind="inode", ios=20))
    found = seen(ctx, reading(), reading(*rows), roles=("walwriter", "chekpointer"), files=("pg_wal", "base"))
    told = [note.message for note in found.notes if note.code == "filter-unmatched"]
    assert len(told) == 2
    assert "of the role chekpointer was" in told[0]
    assert told[0].endswith("roles that were seen: client backend, walwriter")
    assert "whose path holds base" in told[1]


def test_a_right_that_is_missing_for_names_is_told(ctx: Context) -> None:
    nameless = block_io(file_kind="inode", inode_number=8, ios=30)
    found = seen(ctx, reading(), replace(reading(nameless), refused=12), replace(reading(), refused=12))
    (told,) = (note.message for note in found.notes if note.code == "files-nameless")
    assert "12 processes" in told
    assert "CAP_SYS_PTRACE" in told


def test_calls_are_seen_where_no_io_is_and_rows_beyond_the_most_are_told_of(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_calls, "ROWS_MAX", 2)
    wanted = Wanted(roles=("reader",))
    rows = [called(inode=number) for number in range(3)]
    calls = file_calls.FileCalls(cast("call_probe.CallProbe", CallsProbe([], rows)), wanted)
    request = WatchRequest(watched_s=1.0, calls=True, roles=("reader",))
    other = reading(block_io(role="writer"))
    watching = Watching(Readings(reading(), other), ctx.clock, wanted, Counted(10), calls=calls)
    found = flow.watched(ctx, request, watching)
    assert (found.rows, len(found.calls or ())) == ((), 3)
    assert codes(found) == {"rows-folded"}


def test_calls_of_sessions_that_ended_are_told_like_their_io(ctx: Context) -> None:
    calls = file_calls.FileCalls(
        cast("call_probe.CallProbe", CallsProbe([], [called(command="postgres", calls=70)]))
    )
    rows = reading(block_io(role="postgres", is_untitled=True, ios=10))
    watching = Watching(Readings(reading(), rows), ctx.clock, Wanted(), Counted(10), calls=calls)
    found = flow.watched(ctx, WatchRequest(watched_s=1.0, calls=True), watching)
    (note,) = (note.message for note in found.notes if note.code == "owners-gone")
    assert note.startswith("10 I/Os and 70 calls are of processes of databases that ended")
