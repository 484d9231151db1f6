"""The database goes away while its demand is read: what was read is kept, the time without it is a gap with its reason."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from databases_fixture import PARENT, context
from plimsoll.base import limits
from plimsoll.base.errors import Interrupted, PlimsollError
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.demand.collect import collect
from plimsoll.facts import Event
from plimsoll.ports import processes
from plimsoll.ports.clock import SystemClock

PERIOD_S = 0.25


def stop(server: embedded.Server, number: int = signal.SIGINT) -> None:
    """Ends the server: SIGINT in order, SIGQUIT like a crash."""
    known = processes.identity(server.process.pid)
    assert known is not None
    assert processes.send(known, number)
    server.process.wait(timeout=20)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT])
def test_a_restart_is_a_gap(tmp_path: Path, number: int) -> None:
    lives: list[int] = []

    def on_event(event: Event) -> None:
        lives.append(1) if event.kind == "live" else None
        if len(lives) == 3 and event.kind == "live":
            stop(server, number)
            threading.Timer(0.5, lambda: restarted.append(start_again(ctx, server))).start()

    restarted: list[embedded.Server] = []
    with context(tmp_path) as (made, _), embedded.running(made, PARENT) as server:
        ctx = Context(made.clock, on_event, made.cancel, made.scratch, made.executor, made.store)
        with embedded.connected(ctx, server) as connection:
            demand = collect(ctx, connection, until=lambda: len(lives) >= 7, seconds=60, period_s=PERIOD_S)
        assert restarted, "the server must have been started again"
    gaps = [interval for interval in demand.intervals if interval.gap is not None]
    assert len(gaps) == 1
    assert "restarted" in (gaps[0].gap or "")
    assert gaps[0].classes == {}
    assert gaps[0].iops is None
    assert gaps[0].duration_s >= 0.5
    assert demand.intervals.index(gaps[0]) == 3
    assert len(demand.intervals) >= 7
    assert "gap" in [note.code for note in demand.notes]
    assert demand.mean is not None
    assert demand.mean.duration_s == pytest.approx(
        sum(i.duration_s for i in demand.intervals if i.gap is None)
    )


def start_again(ctx: Context, server: embedded.Server) -> embedded.Server:
    return embedded.start(ctx, server.cluster, embedded.SETTINGS)


def test_a_database_that_does_not_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RECONNECT_S_MAX", 0.5)
    lives: list[int] = []

    def on_event(event: Event) -> None:
        lives.append(1) if event.kind == "live" else None
        if len(lives) == 2 and event.kind == "live":
            stop(server)

    with context(tmp_path) as (made, _), embedded.running(made, PARENT) as server:
        ctx = Context(made.clock, on_event, made.cancel, made.scratch, made.executor, made.store)
        with embedded.connected(ctx, server) as connection:
            demand = collect(ctx, connection, seconds=20, period_s=PERIOD_S)
    assert [interval.gap is None for interval in demand.intervals] == [True, True, False]
    assert "database-lost" in [note.code for note in demand.notes]


class Alarm(SystemClock):
    """Does something in the first wait: here between two snapshots, however long they take."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self._rings = [ring]

    def sleep(self, seconds: float) -> None:
        if self._rings:
            self._rings.pop()()
        super().sleep(seconds)


def test_a_database_lost_before_the_first_interval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RECONNECT_S_MAX", 0.3)
    with (
        context(tmp_path) as (ctx, _),
        embedded.running(ctx, PARENT) as server,
        embedded.connected(ctx, server) as connection,
    ):
        stopping = replace(ctx, clock=Alarm(lambda: stop(server)))
        with pytest.raises(PlimsollError) as caught:
            collect(stopping, connection, seconds=20, period_s=1.0)
    assert caught.value.id in {"database-lost", "database-unreachable"}


def test_a_killed_session_is_opened_again(tmp_path: Path, server_18: embedded.Server) -> None:
    """Without a restart nothing is lost: the counters went on, so there is no gap."""
    lives: list[int] = []

    def on_event(event: Event) -> None:
        lives.append(1) if event.kind == "live" else None
        if len(lives) == 2 and event.kind == "live":
            with psycopg.connect(server_18.url, autocommit=True) as admin:
                admin.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'plimsoll'"
                )

    with context(tmp_path) as (made, _):
        ctx = Context(made.clock, on_event, made.cancel, made.scratch, made.executor, made.store)
        with embedded.connected(ctx, server_18) as connection:
            demand = collect(ctx, connection, until=lambda: len(lives) >= 4, seconds=20, period_s=PERIOD_S)
    assert [interval.gap for interval in demand.intervals] == [None] * len(demand.intervals)
    assert len(demand.intervals) >= 4


def test_ctrl_c_keeps_whole_intervals(tmp_path: Path, server_18: embedded.Server) -> None:
    with context(tmp_path) as (made, events):
        lives = 0

        def on_event(event: Event) -> None:
            nonlocal lives
            events.append(event)
            lives += event.kind == "live"
            if lives == 3:
                made.cancel.set()

        ctx = Context(made.clock, on_event, made.cancel, made.scratch, made.executor, made.store)
        with embedded.connected(ctx, server_18) as connection:
            demand = collect(ctx, connection, seconds=60, period_s=PERIOD_S)
            assert len(demand.intervals) == 3
            assert any(event.kind == "progress" and event.left_s is not None for event in events)
            with pytest.raises(Interrupted):
                collect(ctx, connection, seconds=60, period_s=PERIOD_S)
