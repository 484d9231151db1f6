"""`plimsoll watch` with made readings: what is told live, what is kept, and what is said of what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from facts_watch import device, limit
from plimsoll import databases
from plimsoll.base.errors import ExitStatus, PlimsollError, UsageError, WorldError
from plimsoll.cli.main import run as command
from plimsoll.context import Context
from plimsoll.facts import BindingLimit, Event, Run, Tick, Watch, WatchedIo
from plimsoll.flows import watch as flow
from plimsoll.host.device_counts import DeviceCounts
from plimsoll.host.layers import Layers
from plimsoll.native import block_probe
from plimsoll.observe.block_io import BlockIo, BlockReading, RowOfFile
from plimsoll.observe.device_check import Counters
from plimsoll.observe.limits import LimitWatch
from plimsoll.observe.tally import Wanted
from plimsoll.observe.watching import BROKEN_OFF, Watching
from plimsoll.ports.clock import VirtualClock
from plimsoll.requests.watch import WatchRequest
from plimsoll.results import answer, status
from seen_io import Readings, block_io, reading
from simulated import RefusingStore, context
from watched_io import Counted, codes, seen


@pytest.fixture
def heard() -> list[Event]:
    return []


@pytest.fixture
def ctx(tmp_path: Path, heard: list[Event]) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield replace(made, clock=VirtualClock(), events=heard.append)


class _Limits(LimitWatch):
    """Bind from the second look on."""

    def look(self, rows: Sequence[WatchedIo] = ()) -> None:
        self.looks += 1

    def binding(self) -> tuple[BindingLimit, ...]:
        return (limit(looks=self.looks),) if self.looks > 1 else ()


def test_limits_are_looked_at_more_often_than_rows_where_they_are_asked_for(ctx: Context) -> None:
    request = WatchRequest(watched_s=3.0, limits=True)
    watching = Watching(Readings(reading(), reading()), ctx.clock, Wanted(), Counted(30))
    found = flow.watched(ctx, request, watching, _Limits())
    assert found.limits is not None
    assert [one.looks for one in found.limits] == [30]
    assert seen(ctx, reading(), reading()).limits is None, "unknown, where nobody looked"


def test_slow_looks_at_limits_put_off_no_row(ctx: Context, heard: list[Event]) -> None:
    class Slow(_Limits):
        def look(self, rows: Sequence[WatchedIo] = ()) -> None:
            ctx.clock.sleep(0.25)

    request = WatchRequest(watched_s=3.0, limits=True)
    readings = Readings(reading(), *(reading(block_io(ios=10)) for _ in range(3)))
    watching = Watching(readings, ctx.clock, Wanted(), Counted(30))
    found = flow.watched(ctx, request, watching, Slow())
    assert [row.ios for row in found.rows] == [30]
    ticks = [event.elapsed_s for event in heard if isinstance(event, Tick)]
    assert [round(at_s) for at_s in ticks] == [1, 2, 3]


def test_what_was_before_is_left_out_and_all_that_follows_is_added_up(
    ctx: Context, heard: list[Event]
) -> None:
    found = seen(
        ctx, reading(block_io(ios=999)), reading(block_io(ios=10)), reading(), reading(block_io(ios=20))
    )
    assert (found.duration_s, [row.ios for row in found.rows]) == (3.0, [30])
    assert [device.held for device in found.devices] == [True]
    assert found.notes == ()
    ticks = [event for event in heard if isinstance(event, Tick)]
    assert [(tick.elapsed_s, tick.duration_s, tick.iops) for tick in ticks] == [
        (1.0, 1.0, 10.0),
        (2.0, 1.0, 0.0),
        (3.0, 1.0, 20.0),
    ]
    assert [(one.begin_s, one.duration_s, one.ios) for one in found.course] == [
        (0.0, 1.0, 10),
        (1.0, 1.0, 0),
        (2.0, 1.0, 20),
    ]
    assert ticks[0].rows[0].latency_us.hdr is None
    assert found.rows[0].latency_us.hdr is not None


def test_counts_that_differ_reach_status_answer_and_notes(ctx: Context) -> None:
    found = seen(ctx, reading(), reading(block_io(ios=30)), ios=100)
    assert codes(found) == {"counts-differ"}
    run = Run.model_construct(kind="watch", results={"watch": found}, interrupted=False, notes=())
    assert status(run) is ExitStatus.ANSWER_IS_NO
    assert "not valid: the kernel counts otherwise at sda" in answer(run)


def test_all_owners_are_held_against_the_disk_whoever_is_asked_for(ctx: Context) -> None:
    rows = (block_io(ios=10), block_io(role="walwriter", ios=20))
    found = seen(ctx, reading(), reading(*rows), roles=("walwriter",))
    assert [row.ios for row in found.rows] == [20]
    assert [(device.ios, device.held) for device in found.devices] == [(30, True)]


def test_ended_early_it_keeps_what_was_seen(ctx: Context) -> None:
    class Ending(Readings):
        def read(self) -> BlockReading:
            if self._next == 1:
                ctx.cancel.set()
            return super().read()

    watching = Watching(Ending(reading(), reading(block_io(ios=30))), ctx.clock, counters=Counted(30))
    found = flow.watched(ctx, WatchRequest(), watching)
    assert [row.ios for row in found.rows] == [30]
    assert ctx.cancel.is_set


class Failing(Readings):
    """Its third reading fails."""

    def read(self) -> BlockReading:
        if self._next == 2:
            raise WorldError("probe-unread", "could not read what the probe counted: gone", None)
        return super().read()


def test_what_was_read_is_kept_where_the_probe_can_no_longer_be_read(ctx: Context) -> None:
    failing = Failing(reading(), reading(block_io(ios=30)))
    watching = Watching(failing, ctx.clock, counters=Counted(30))
    found = flow.watched(ctx, WatchRequest(watched_s=5.0), watching)
    assert (found.duration_s, [row.ios for row in found.rows]) == (1.0, [30])
    assert found.broken_off == "could not read what the probe counted: gone"
    assert [(one.held, one.reason) for one in found.devices] == [(None, BROKEN_OFF)]
    assert codes(found) == {"watch-broken-off"}
    run = Run.model_construct(kind="watch", results={"watch": found}, interrupted=False, notes=())
    assert status(run) is ExitStatus.DONE_IN_PART
    assert answer(run).endswith("it ended before its time")


def test_rows_are_read_often_however_seldom_they_are_told(ctx: Context, heard: list[Event]) -> None:
    """The kernel has room for so many rows between two readings."""
    readings = [reading(), *(reading(block_io(ios=10)) for _ in range(4))]
    found = seen(ctx, *readings, ios=40, watched_s=4.0, every_s=2.0)
    assert [row.ios for row in found.rows] == [40]
    ticks = [event for event in heard if isinstance(event, Tick)]
    told = [(tick.elapsed_s, tick.duration_s, tick.iops) for tick in ticks]
    assert told == [(2.0, 2.0, 10.0), (4.0, 2.0, 10.0)]


def test_counters_that_moved_on_too_far_while_they_were_read_prove_nothing(ctx: Context) -> None:
    readings = Readings(reading(), reading(block_io(ios=300)))
    watching = Watching(readings, ctx.clock, counters=Counted(300, 600))
    found = flow.watched(ctx, WatchRequest(watched_s=1.0), watching)
    assert [one.held for one in found.devices] == [None]
    assert codes(found) == {"counts-unclear"}


def test_a_moment_without_any_io_is_no_success(ctx: Context) -> None:
    found = seen(ctx, reading(), ios=0)
    run = Run.model_construct(kind="watch", results={"watch": found}, interrupted=False, notes=())
    assert (status(run), answer(run)) == (ExitStatus.DONE_IN_PART, "no I/O was seen in 3 s")
    assert [note.message for note in found.notes if note.code == "ios-none"] == [
        "no I/O was seen in the 3 s: watch for longer, or while something reads or writes"
    ]


def test_what_no_row_has_may_still_be_there(ctx: Context) -> None:
    found = seen(ctx, reading(), reading(block_io(ios=30)), roles=("nobody",))
    run = Run.model_construct(kind="watch", results={"watch": found}, interrupted=False, notes=())
    assert answer(run) == "none of 30 I/Os is what was asked for in 3 s"


def test_a_disk_at_which_nothing_can_be_seen_is_told(ctx: Context) -> None:
    disk = device(
        None,
        device="zram0",
        ios=0,
        ios_counted=900,
        bytes_counted=None,
        reason="its driver makes no requests",
    )
    found = seen(ctx, reading(), reading(block_io(ios=30))).but(devices=(disk,))
    run = Run.model_construct(kind="watch", results={"watch": found}, interrupted=False, notes=())
    assert status(run) is ExitStatus.DONE_IN_PART
    assert answer(run).endswith("I/O at zram0 cannot be seen")


def test_a_live_event_has_the_rows_with_most_ios_and_tells_of_the_others(
    ctx: Context, heard: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flow, "TICK_ROWS_MAX", 2)
    rows = tuple(block_io(file=f"/{ios}", ios=ios) for ios in (5, 15, 10))
    seen(ctx, reading(), reading(*rows))
    first = next(event for event in heard if isinstance(event, Tick))
    assert ([row.ios for row in first.rows], first.more_rows, first.iops) == ([15, 10], 1, 30.0)


def test_a_live_rate_has_no_flush_beside_the_request_for_it(ctx: Context, heard: list[Event]) -> None:
    rows = (block_io(operation=operation, bytes=0, ios=7) for operation in ("flush-request", "flush"))
    seen(ctx, reading(), reading(block_io(ios=10), *rows))
    assert next(event for event in heard if isinstance(event, Tick)).iops == 17.0


@pytest.mark.parametrize(
    ("before", "alone", "rates"),
    [
        ((block_io(ios=10),), "flush", [10.0, 0.0, 0.0]),
        ((), "flush", [0.0, 7.0, 0.0]),
        ((block_io(ios=10),), "discard", [10.0, 7.0, 0.0]),
    ],
    ids=["counted", "none", "discards"],
)
def test_a_second_of_flushes_alone_is_told_as_the_seconds_beside_it(
    ctx: Context, heard: list[Event], before: tuple[BlockIo, ...], alone: str, rates: list[float]
) -> None:
    seen(ctx, reading(), reading(*before), reading(block_io(operation=alone, bytes=0, ios=7)))
    assert [event.iops for event in heard if isinstance(event, Tick)] == rates


class FakeProbe:
    """Counts how often it was taken out."""

    stopped = 0

    def stop(self) -> None:
        self.stopped += 1


def test_the_probe_is_taken_out_whatever_happens(ctx: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    probe = FakeProbe()

    def fails(*_: Any) -> None:
        raise WorldError("probe-unread", "it is gone", None)

    monkeypatch.setattr(block_probe, "start", lambda: probe)
    monkeypatch.setattr(flow, "watched", fails)
    with pytest.raises(PlimsollError):
        flow.watch_io(ctx, WatchRequest())
    assert probe.stopped == 1


def test_a_store_that_takes_no_run_is_refused_before_anything_is_watched(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block_probe, "start", lambda: pytest.fail("it was loaded"))
    with pytest.raises(WorldError, match="it is a folder"):
        flow.watch_io(replace(ctx, store=RefusingStore()), WatchRequest(watched_s=1.0))


def test_a_disk_that_nobody_knows_is_refused_before_anything_is_loaded(ctx: Context) -> None:
    with pytest.raises(UsageError) as caught:
        flow.watch_io(ctx, WatchRequest(devices=("/dev/no-such-disk",)))
    assert (caught.value.id, "no-such-disk" in caught.value.message) == ("disk-unknown", True)


def test_a_disk_at_which_nothing_can_be_seen_is_refused(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = DeviceCounts(0, 0, 0, 0, 0, 0, 0, 0)
    monkeypatch.setattr(Counters, "read", lambda counters: {"zram0": counts, "sda": counts})
    monkeypatch.setattr(Layers, "first_seen", lambda layers, name: ())
    with pytest.raises(UsageError) as caught:
        flow.watch_io(ctx, WatchRequest(devices=("zram0",)))
    assert caught.value.id == "disk-unseen"


def test_a_disk_that_lies_on_others_is_watched_at_those_which_is_told(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = DeviceCounts(0, 0, 0, 0, 0, 0, 0, 0)
    monkeypatch.setattr(Counters, "read", lambda counters: {"dm-0": counts, "sda": counts})
    monkeypatch.setattr(Layers, "first_seen", lambda layers, name: ("sda",))
    monkeypatch.setattr(block_probe, "start", FakeProbe)
    rows = (block_io(ios=30), block_io(device="sdb", ios=40))
    monkeypatch.setattr(flow, "BlockWatch", lambda *_: Readings(reading(), reading(*rows)))
    found: Watch = flow.watch_io(ctx, WatchRequest(watched_s=1.0, devices=("dm-0",))).results["watch"]
    assert [row.device for row in found.rows] == ["sda"]
    (told,) = (note.message for note in found.notes if note.code == "disks-beneath")
    assert "dm-0 are seen at sda" in told


def test_ios_that_are_seen_at_two_disks_are_added_up_once(ctx: Context, heard: list[Event]) -> None:
    """The disk of a loop device's file may have its I/Os later than the loop device has them."""
    upper = block_io(device="loop0", above=("sda",), ios=50)
    found = seen(ctx, reading(), reading(upper, block_io(ios=10)), reading(upper), reading(block_io(ios=20)))
    ticks = [event for event in heard if isinstance(event, Tick)]
    assert [tick.iops for tick in ticks] == [10.0, 0.0, 20.0]
    assert [len(tick.rows) for tick in ticks] == [2, 1, 1]
    run = Run.model_construct(kind="watch", results={"watch": found}, interrupted=False, notes=())
    assert answer(run).startswith("10 I/Os per second, ")
    assert "beside these 33.3 at loop0" in answer(run)


def test_what_a_role_did_at_a_loop_device_counts_beside_what_it_did_at_the_disk(
    ctx: Context, heard: list[Event]
) -> None:
    """Beneath the loop device it is the kernel's, which was not asked for."""
    upper = block_io(device="loop0", above=("sda",), ios=50)
    kernels = block_io(role="kernel", pid=None, ios=50)
    found = seen(ctx, reading(), reading(upper, kernels, block_io(ios=10)), ios=60, roles=("client backend",))
    assert next(event for event in heard if isinstance(event, Tick)).iops == 60.0
    run = Run.model_construct(kind="watch", results={"watch": found}, interrupted=False, notes=())
    assert answer(run).startswith("20 I/Os per second, ")
    assert "beside these" not in answer(run)


class NamesNothing:
    """A server that answers nothing to anybody's question."""

    has_met_server = True
    are_withheld = False
    unknown_because: str | None = None
    waiting = 0

    def named(self, rows: Sequence[RowOfFile]) -> list[RowOfFile]:
        return list(rows)

    def ask_the_rest(self) -> None:
        """There is none."""

    def relation_of(self, path: str, inode_number: int) -> tuple[str, str] | None:
        return None


def test_a_relation_that_is_known_late_has_the_rows_of_before_and_what_is_not_asked_for_is_told(
    ctx: Context,
) -> None:
    class Late(NamesNothing):
        waiting = 3
        rest = 0

        def ask_the_rest(self) -> None:
            self.rest += 1

        def relation_of(self, path: str, inode_number: int) -> tuple[str, str] | None:
            assert self.rest, "whoever asks in time"
            return ("public.orders", "/5/1") if path.startswith("/5/1") else None

    of_file: dict[str, Any] = {"file_kind": "inode", "queue_us_mean": 4.0}
    rows = (
        block_io(file="/5/1", inode_number=7, ios=10, **of_file),
        block_io(file="/5/1.1", inode_number=8, ios=15, pid=101, **of_file),
        block_io(file="/5/2", inode_number=9, ios=5, **of_file),
    )
    watching = Watching(
        Readings(reading(), reading(*rows)), ctx.clock, counters=Counted(30), relations=Late()
    )
    found = flow.watched(ctx, WatchRequest(watched_s=1.0), watching)
    orders, other = found.rows
    assert (orders.relation, orders.file, orders.inode_number) == ("public.orders", "/5/1", None)
    assert (orders.ios, orders.bytes, orders.processes) == (25, 25 * 8_192, 2)
    assert (orders.latency_us.count, orders.queue_us_mean) == (25, 4.0)
    assert [(size.bytes_max, size.ios) for size in orders.sizes] == [(8_192, 25)]
    assert (other.relation, other.file, other.ios) == (None, "/5/2", 5)
    (note,) = found.notes
    assert (note.code, note.message.startswith("3 files")) == ("relations-unasked", True)


def test_relations_stand_in_place_of_files_and_what_the_server_did_not_say_is_told(ctx: Context) -> None:
    class Named(NamesNothing):
        has_met_server = True
        unknown_because = "the session broke"

        def named(self, rows: Sequence[RowOfFile]) -> list[RowOfFile]:
            return [row.of_relation("public.orders", row.file or "") for row in rows]

    readings = Readings(
        reading(), reading(block_io(file="/base/5/1", ios=10), block_io(file="/base/5/1.1", ios=20))
    )
    watching = Watching(readings, ctx.clock, Wanted(files=("5/1.1",)), Counted(30), relations=Named())
    found = flow.watched(ctx, WatchRequest(watched_s=1.0), watching)
    assert [(row.relation, row.ios) for row in found.rows] == [("public.orders", 20)]
    assert found.relations_unknown_because == "the session broke"
    assert "the session broke" in {note.code: note.message for note in found.notes}["relations-unknown"]
    run = Run.model_construct(kind="watch", results={"watch": found}, interrupted=False, notes=())
    assert status(run) is ExitStatus.DONE_IN_PART


def test_a_server_of_which_no_process_was_seen_is_told(ctx: Context) -> None:
    class Stranger(NamesNothing):
        has_met_server = False
        unknown_because = None

    for are_withheld in (False, True):
        stranger = Stranger()
        stranger.are_withheld = are_withheld
        readings = Readings(reading(), reading(block_io(ios=30)))
        watching = Watching(readings, ctx.clock, counters=Counted(30), relations=stranger)
        (note,) = flow.watched(ctx, WatchRequest(watched_s=1.0), watching).notes
        assert note.code == "relations-none"
        assert ("CAP_DAC_READ_SEARCH" in note.message) == are_withheld


def test_a_database_that_names_no_files_is_refused_before_anything_is_loaded(
    ctx: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        databases,
        "open_database",
        lambda *_: nullcontext(SimpleNamespace(database=SimpleNamespace(kind="mariadb"))),
    )
    with pytest.raises(UsageError) as caught:
        flow.watch_io(ctx, WatchRequest(database="mysql://me@db.example/shop"))
    assert caught.value.id == "relations-database"


def test_a_disk_that_lies_on_others_counts_where_those_are_not_asked_for(ctx: Context) -> None:
    rows = (block_io(device="loop0", above=("sda",), ios=60), block_io(ios=30))
    found = seen(ctx, reading(), reading(*rows), devices=("loop0",))
    run = Run.model_construct(kind="watch", results={"watch": found}, interrupted=False, notes=())
    assert answer(run).startswith("20 I/Os per second, ")


def test_a_tick_tells_what_is_missing_since_the_tick_before(ctx: Context, heard: list[Event]) -> None:
    seen(ctx, reading(lost_ios=4), reading(lost_ios=6), reading(lost_ios=6), reading(lost_ios=9))
    assert [event.lost_ios for event in heard if isinstance(event, Tick)] == [2, 0, 3]


def test_what_a_discard_gives_back_is_not_moved(ctx: Context, heard: list[Event]) -> None:
    rows = (block_io(ios=30, bytes=30 << 20), block_io(operation="discard", ios=1, bytes=1 << 40))
    found = seen(ctx, reading(), reading(*rows))
    run = Run.model_construct(kind="watch", results={"watch": found}, interrupted=False, notes=())
    assert answer(run).startswith("10 I/Os per second, 10.5 MB/s;")
    first = next(event for event in heard if isinstance(event, Tick))
    assert first.mb_per_s < 50


def test_names_that_a_terminal_would_obey_are_written_out(
    ctx: Context, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = "/data/\x1b]0;owned\x07\udcff"
    row = block_io(role="x\x1b[2J", file=evil, file_kind="inode", inode_number=3, ios=30)
    monkeypatch.setattr(block_probe, "start", FakeProbe)
    monkeypatch.setattr(Counters, "read", lambda counters: {})
    monkeypatch.setattr(flow, "BlockWatch", lambda *_: Readings(reading(), reading(row)))
    assert command(["watch", "--runtime", "100ms", "--every", "100ms"]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert r"x\x1b[2J" in shown
    assert command(["watch", "--for", "100ms", "--every", "100ms", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["data"]["rows"]
    assert told["file"] == "/data/\x1b]0;owned\x07\\xff"
