"""Driving sessions: together at the start however slowly they come, and what was counted is kept however they end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from plimsoll.base.errors import Interrupted, PlimsollError, WorldError
from plimsoll.context import Context
from plimsoll.databases import Connection
from plimsoll.facts import Snapshot
from plimsoll.proof import crew, sessions
from plimsoll.proof.sessions import Schedule, drive_crew
from plimsoll.proof.slices import Counted, Slice

US = 1_000_000
SCHEDULE = Schedule(warm_up_s=0.2, run_s=0.5)


@pytest.fixture(autouse=True)
def _short_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    for room in (crew, sessions):
        monkeypatch.setattr(room, "SLICE_S", 0.1)
    monkeypatch.setattr(crew, "_PATIENCE_S", 0.2)


class FakeSession:
    """A session that the server serves with process 7."""

    server_process = 7

    def __init__(self) -> None:
        self.cancelled = threading.Event()
        self.closed = False

    def run(self, sql: str, parameters: Any = ()) -> list[tuple[Any, ...]]:
        raise AssertionError("workers of these tests do not run statements")

    def cancel(self) -> None:
        self.cancelled.set()

    def close(self) -> None:
        self.closed = True


class FakeConnection:
    """A server whose clock is ours."""

    def __init__(self) -> None:
        self.sessions: list[FakeSession] = []
        self.readings_us: list[int] = []
        self.refuses_after: int | None = None
        self.gone = threading.Event()

    def session(self, name: str) -> FakeSession:
        if self.refuses_after is not None and len(self.sessions) >= self.refuses_after:
            raise WorldError("database-refused", "sorry, too many clients already", None)
        self.sessions.append(FakeSession())
        return self.sessions[-1]

    def snapshot(self, relations: bool = False) -> Snapshot:
        if self.gone.is_set():
            raise WorldError("database-lost", "the server is gone", None)
        now = datetime.now(UTC)
        self.readings_us.append(round(now.timestamp() * US))
        return Snapshot(
            taken_at=now, clock_offset_s=0.0, clock_offset_error_s=0.0, started_at=now, system_identifier="1",
            resets={}, totals={}, io=(), monotonic_s=time.monotonic(),
        )  # fmt: skip


class FakeWorker:
    """Ready after `slow_s`; then a slice lasts until its boundary."""

    def __init__(self, name: str, slow_s: float = 0.0) -> None:
        self.name, self.slow_s = name, slow_s
        self.ready_us = 0
        self.calls: list[tuple[int, int]] = []

    def prepare(self, session: Any) -> None:
        time.sleep(self.slow_s)
        self.ready_us = round(time.time() * US)

    def work(self, session: Any, from_us: int, until_us: int, state: str) -> Slice:
        self.calls.append((from_us, until_us))
        begin_us = max(from_us, round(time.time() * US))
        time.sleep(max(0.0, until_us / US - time.time()))
        return Slice(begin_us, until_us, {"select": Counted(1, 1, 0, {9: 1})})


def here(ctx: Context, connection: FakeConnection, workers: Sequence[Any]) -> crew.LocalCrew:
    return crew.LocalCrew(ctx, cast(Connection, connection), workers, SCHEDULE.slices)


def driven(ctx: Context, connection: FakeConnection, *workers: Any) -> sessions.Drove:
    return drive_crew(ctx, cast(Connection, connection), here(ctx, connection, workers), SCHEDULE)


def test_a_slow_launch_does_not_begin_without_the_last(ctx: Context) -> None:
    """pgio's defect: its clock and its counters start while sessions are still being launched."""
    connection, workers = FakeConnection(), [FakeWorker("1.1"), FakeWorker("1.2", slow_s=0.4)]
    found = driven(ctx, connection, *workers)
    assert {worker.calls[0][0] for worker in workers} == {found.start_us}
    assert found.start_us > max(worker.ready_us for worker in workers)
    assert found.failure is None
    assert [len(track.slices) for track in found.tracks] == [7, 7]


def test_the_server_is_settled_when_all_are_ready_and_before_any_begins(ctx: Context) -> None:
    connection, workers = FakeConnection(), [FakeWorker("1.1"), FakeWorker("1.2", slow_s=0.3)]
    settled_us: list[int] = []

    def settle() -> None:
        assert all(worker.ready_us for worker in workers)
        time.sleep(0.2)
        settled_us.append(round(time.time() * US))

    found = drive_crew(
        ctx, cast(Connection, connection), here(ctx, connection, workers), SCHEDULE, settle=settle
    )
    assert len(settled_us) == 1
    assert found.start_us > settled_us[0]
    assert connection.readings_us[0] > settled_us[0]


def test_counters_are_read_when_the_window_opens_and_when_all_have_ended(ctx: Context) -> None:
    """SLOB's defect: its counters are read long after the sessions began, and long after they ended."""
    connection = FakeConnection()
    found = driven(ctx, connection, FakeWorker("1.1"), FakeWorker("1.2"))
    _, first, *between, last = connection.readings_us
    assert found.opens_us <= first < found.opens_us + 0.1 * US
    assert found.edge_clean
    assert last >= found.closes_us
    assert len(found.snapshots) == len(between) + 2


def test_sessions_stay_until_the_last_reading(ctx: Context) -> None:
    connection = FakeConnection()
    seen: list[bool] = []

    def at_reading(processes: Any) -> None:
        assert list(processes) == [7]
        seen.append(any(session.closed for session in connection.sessions))

    made = here(ctx, connection, [FakeWorker("1.1")])
    drive_crew(ctx, cast(Connection, connection), made, SCHEDULE, at_reading)
    assert len(seen) >= 3
    assert not any(seen)
    assert all(session.closed for session in connection.sessions)


def test_a_refused_session_ends_all_of_them(ctx: Context) -> None:
    connection = FakeConnection()
    connection.refuses_after = 1
    with pytest.raises(PlimsollError, match="too many clients"):
        driven(ctx, connection, FakeWorker("1.1"), FakeWorker("1.2"))
    assert all(session.closed for session in connection.sessions)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("plimsoll-session")]


def test_a_preparation_that_fails_is_raised(ctx: Context) -> None:
    class Failing(FakeWorker):
        def prepare(self, session: Any) -> None:
            raise WorldError("database-refused", "no such table", None)

    with pytest.raises(PlimsollError, match="no such table"):
        driven(ctx, FakeConnection(), FakeWorker("1.1"), Failing("1.2"))


def test_a_session_that_breaks_ends_the_drive_and_keeps_what_there_was(ctx: Context) -> None:
    class Breaking(FakeWorker):
        def work(self, session: Any, from_us: int, until_us: int, state: str) -> Slice:
            if len(self.calls) == 4:
                raise WorldError("database-lost", "the server went away", None)
            return super().work(session, from_us, until_us, state)

    found = driven(ctx, FakeConnection(), FakeWorker("1.1"), Breaking("1.2"))
    assert found.failure is not None
    assert found.failure.message == "the server went away"
    assert len(found.tracks[1].slices) == 4
    assert len(found.tracks[0].slices) >= 4
    assert len(found.snapshots) >= 2


def test_a_server_that_is_gone_at_a_reading_keeps_what_sessions_counted(ctx: Context) -> None:
    connection = FakeConnection()

    class Fatal(FakeWorker):
        def work(self, session: Any, from_us: int, until_us: int, state: str) -> Slice:
            if len(self.calls) == 5:
                connection.gone.set()
            return super().work(session, from_us, until_us, state)

    found = driven(ctx, connection, Fatal("1.1"))
    assert found.failure is not None
    assert found.failure.id == "database-lost"
    assert len(found.tracks[0].slices) >= 5


def test_a_cancel_keeps_the_slices_until_then(ctx: Context) -> None:
    class Cancelling(FakeWorker):
        def work(self, session: Any, from_us: int, until_us: int, state: str) -> Slice:
            if len(self.calls) == 4:
                ctx.cancel.set()
            return super().work(session, from_us, until_us, state)

    found = driven(ctx, FakeConnection(), Cancelling("1.1"))
    assert found.interrupted
    assert found.failure is None
    assert 4 <= len(found.tracks[0].slices) < 7


def test_a_cancel_ends_an_operation_that_lasts(ctx: Context) -> None:
    class Endless(FakeWorker):
        def work(self, session: Any, from_us: int, until_us: int, state: str) -> Slice:
            ctx.cancel.set()
            assert session.cancelled.wait(20)
            raise WorldError("database-cancelled", "cancelled by the user", None)

    found = driven(ctx, FakeConnection(), Endless("1.1"))
    assert found.interrupted
    assert found.failure is None


def test_a_cancel_while_sessions_connect_is_an_interrupt(ctx: Context) -> None:
    ctx.cancel.set()
    with pytest.raises(Interrupted):
        driven(ctx, FakeConnection(), FakeWorker("1.1", slow_s=0.2))


@pytest.mark.parametrize("where", ["prepare", "work"])
def test_a_defect_of_ours_is_raised_and_not_waited_for(ctx: Context, where: str) -> None:
    class Defective(FakeWorker):
        def prepare(self, session: Any) -> None:
            if where == "prepare":
                raise ZeroDivisionError

        def work(self, session: Any, from_us: int, until_us: int, state: str) -> Slice:
            raise ZeroDivisionError

    connection = FakeConnection()
    with pytest.raises(ZeroDivisionError):
        driven(ctx, connection, FakeWorker("1.1"), Defective("1.2"))
    assert all(session.closed for session in connection.sessions)


def test_the_only_session_that_breaks_in_the_warm_up_leaves_no_reading_of_a_window(ctx: Context) -> None:
    class Breaking(FakeWorker):
        def work(self, session: Any, from_us: int, until_us: int, state: str) -> Slice:
            raise WorldError("database-lost", "the server went away", None)

    told: list[object] = []
    found = driven(replace(ctx, events=told.append), FakeConnection(), Breaking("1.1"))
    assert found.failure is not None
    assert found.failure.message == "the server went away"
    assert found.snapshots == (), "the window never opened"
    assert not [one for one in told if "warming up" in str(one)]


class TwoHosts:
    """Sessions of two hosts, of which one says nothing for some seconds and is lost or there again then."""

    ahead_s = 0.0
    is_stopped = False

    def __init__(self, schedule: Schedule, silent: range, is_lost: bool) -> None:
        self.tracks = [crew.Track("a 1.1", host="a"), crew.Track("b 1.2", host="b")]
        self._schedule, self._silent, self._is_lost, self._second = schedule, silent, is_lost, 0

    def wait(self, is_so: Callable[[], bool]) -> bool:
        if is_so():
            return True
        self._second += 1
        first, second = self.tracks
        piece = Slice(1, 2, {"select": Counted(1, 1, 0, {9: 1})})
        first.slices.append((self._second, piece))
        if self._second not in self._silent:
            told = second.slices[-1][0] if second.slices else 0
            lost = self._is_lost and self._second >= self._silent.stop
            second.is_lost = second.done = lost
            second.slices += [] if lost else [(at, piece) for at in range(told + 1, self._second + 1)]
        first.done = self._second == self._schedule.slices
        second.done = second.done or first.done
        return is_so()

    def go(self, start_us: int) -> None: ...

    def get_ready(self) -> None: ...

    def catch_up(self) -> None: ...

    def stop(self) -> None: ...

    def wait_done(self) -> None: ...

    def end(self) -> None: ...

    def let_go(self) -> None: ...


@pytest.mark.parametrize("is_lost", [False, True])
def test_boundaries_that_passed_while_a_host_was_silent_have_one_reading_together(
    ctx: Context, is_lost: bool
) -> None:
    """Readings that follow each other by milliseconds would show a demand that never was."""
    schedule = Schedule(0.2, 2.0)
    two = TwoHosts(schedule, range(6, 16), is_lost)
    connection = cast(Connection, FakeConnection())
    found = sessions.drive_crew(ctx, connection, two, schedule)
    # At the window's opening, in its first three slices, after the silence, in those that followed, and at the end.
    assert len(found.snapshots) == 1 + 3 + 1 + len(range(17, 22)) + 1


@pytest.mark.parametrize(
    ("broken", "ends"),
    [
        (KeyboardInterrupt(), ["let go"]),
        (ZeroDivisionError(), ["let go"]),
        (WorldError("database-lost", "gone"), ["end"]),
    ],
)
def test_whoever_wants_it_to_end_at_once_waits_for_no_session(
    ctx: Context, broken: BaseException, ends: list[str]
) -> None:
    """A second Ctrl-C: hosts may take half a minute to end."""
    done: list[str] = []

    class Ended(TwoHosts):
        def end(self) -> None:
            done.append("end")

        def let_go(self) -> None:
            done.append("let go")

    def settle() -> None:
        raise broken

    two = Ended(SCHEDULE, range(0), is_lost=False)
    with pytest.raises(type(broken)):
        sessions.drive_crew(ctx, cast(Connection, FakeConnection()), two, SCHEDULE, settle=settle)
    assert done == ends
