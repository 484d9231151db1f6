"""A collector of snapshots on a clock that only moves when somebody waits, its server and its store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from demand_snapshots import database, row, snapshot
from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.databases import Connection, CountedRows, WaitingSessions
from plimsoll.facts import Database, KeptRows, KeptRowsKind, KeptSnapshot, Note, Snapshot
from plimsoll.flows import snapshots as flow
from plimsoll.ports.clock import VirtualClock
from plimsoll.requests.demand import DemandRequest
from simulated import MemoryStore
from simulated import context as simulated_context

BEGIN = datetime(2026, 11, 20, 9, 3, 30, tzinfo=UTC)
URL = "postgresql://me@db.example/shop"
MINUTE = timedelta(minutes=1)
DAY = timedelta(days=1)


class Server:
    """A server that reads steadily. `away` says from when to when, in seconds after the begin, nobody answers."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.away: list[tuple[float, float]] = []
        self.away_error = "database-lost"
        self.is_open = True
        self.opened = 1

    server_process = None
    notes: tuple[Note, ...] = ()

    @property
    def database(self) -> Database:
        return database()

    def snapshot(self, relations: bool = False) -> Snapshot:
        assert self.is_open
        self._answer()
        passed_s = (self.clock.now() - BEGIN).total_seconds()
        self.clock.sleep(0.01)
        shot = snapshot(0.0, (row(reads=int(passed_s * 100)),))
        return shot.model_copy(
            update={"taken_at": BEGIN + timedelta(seconds=passed_s), "monotonic_s": self.clock.monotonic_s()}
        )

    def reopen(self) -> None:
        self._answer()
        self.is_open = True
        self.opened += 1

    def close(self) -> None:
        self.is_open = False

    def _answer(self) -> None:
        passed_s = (self.clock.now() - BEGIN).total_seconds()
        if any(begin <= passed_s < end for begin, end in self.away):
            raise WorldError(self.away_error, "the server does not answer", "Look at it.")


class RowsServer(Server):
    """The same, counting a table row by row; one session waits for a read whenever it is looked at."""

    dialect = "postgres"
    location = "db.example"
    counts = session = log_place = log_since = own_report = lambda self: None

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(clock)
        self.steps: list[int] = []
        self.refused: dict[KeptRowsKind, str] = {}

    def snapshot_with_rows(self, step: int) -> tuple[Snapshot, tuple[CountedRows, ...]]:
        self.steps.append(step)
        shot = self.snapshot()
        scans = int((shot.taken_at - BEGIN).total_seconds())
        lines = [f"5\tt\t{scans}", "6\tu\t1"]
        refused = [CountedRows(kind, unknown=reason) for kind, reason in self.refused.items()]
        return shot, (CountedRows("relations", ("oid", "name", "scans"), names=1, lines=lines), *refused)

    def waiting(self) -> list[WaitingSessions]:
        assert self.is_open
        self._answer()
        return [WaitingSessions("client backend", "IO", "DataFileRead", 1)]


class Setting:
    """A context, its server and its store; `events` are what was told."""

    def __init__(self, ctx: Context, events: list[Any], clock: VirtualClock) -> None:
        self.ctx = ctx
        self.events = events
        self.clock = clock
        self.server = Server(clock)
        self.store = cast(MemoryStore, ctx.store)

    def collect(self, seconds: float, **words: Any) -> flow.Collected:
        asked = DemandRequest(database=URL, **{"every_s": 600.0, **words}, watched_s=seconds)
        return flow.collect_snapshots(self.ctx, asked)

    @property
    def times(self) -> list[str]:
        return [f"{one.snapshot.taken_at:%H:%M:%S}" for one in self.store.kept]


class FullStore(MemoryStore):
    """Takes nothing while `full` says so."""

    def __init__(self, full: Callable[[int], bool]) -> None:
        super().__init__()
        self.full = full
        self.calls = 0

    def keep_snapshot(self, kept: KeptSnapshot, rows: Sequence[KeptRows] = ()) -> None:
        self.calls += 1
        if self.full(self.calls):
            raise WorldError("store-full", "no space is left", "Free some.")
        super().keep_snapshot(kept, rows)


@contextmanager
def collecting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Setting]:
    """Whatever database a collector opens is the setting's server."""
    clock = VirtualClock(BEGIN)
    events: list[Any] = []
    with simulated_context(tmp_path, events.append) as made:
        found = Setting(replace(made, clock=clock), events, clock)

        @contextmanager
        def opened(*_: object) -> Iterator[Connection]:
            found.server.is_open = True
            yield cast(Connection, found.server)

        monkeypatch.setattr(flow, "open_database", opened)
        yield found


def remarks_of(setting: Setting) -> list[str]:
    return [event.message for event in setting.events if event.kind == "remark"]


def rows_of(setting: Setting, kind: KeptRowsKind) -> list[KeptRows]:
    return list(setting.store.kept_rows(database().location, kind))
