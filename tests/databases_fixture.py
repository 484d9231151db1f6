"""Real PostgreSQL servers for tests: 18 and 16 from the wheel, 15 from Debian's package. Each lives as long as the session.

They are started as the product starts its own, by an unprivileged user where the tests run as root, in a folder that this
user may enter (pytest's own folders are closed to everybody else).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.context import EVERY_RUN, Cancel, Context, LocalExecutor, RunFilter, Scratch, ThinnedDay
from plimsoll.databases import embedded
from plimsoll.facts import Event, KeptRows, KeptRowsKind, KeptSnapshot, Run, RunSummary, SnapshotSeries
from plimsoll.ports.clock import Clock, SystemClock

PARENT = Path("/var/tmp")
DEBIAN_15 = Path("/usr/lib/postgresql/15/bin")
BEFORE_18 = {"io_workers": ""}
BEFORE_16 = {**BEFORE_18, "debug_io_direct": ""}


@contextmanager
def context(journal: Path, clock: Clock | None = None) -> Iterator[tuple[Context, list[Event]]]:
    """A context without a store, and the events that it received; its scratch is taken back at the end."""
    events: list[Event] = []
    with Scratch(journal) as scratch:
        yield (
            Context(clock or SystemClock(), events.append, Cancel(), scratch, LocalExecutor(), NoStore()),
            events,
        )


class NoStore:
    """What reads demand has no business with the store."""

    def kept_open(self) -> AbstractContextManager[None]:
        return nullcontext()

    def check(self) -> bool:
        return True

    def save(self, run: Run) -> None:
        raise AssertionError("a run was stored")

    def load(self, run_id: str) -> Run:
        raise AssertionError("a run was loaded")

    def find(self, run_id: str) -> RunSummary:
        raise AssertionError("a run was looked for")

    def summaries(self, limit: int | None = None, wanted: RunFilter = EVERY_RUN) -> list[RunSummary]:
        raise AssertionError("runs were listed")

    def retell(self, run_id: str, change: Callable[[Run], Run]) -> Run:
        raise AssertionError("a run was changed")

    def columns(self, names: Sequence[str], known: str) -> list[dict[str, Any]]:
        raise AssertionError("runs were asked for")

    def delete(self, run_ids: Sequence[str]) -> int:
        raise AssertionError("runs were deleted")

    def keep_snapshot(self, kept: KeptSnapshot, rows: Sequence[KeptRows] = ()) -> None:
        raise AssertionError("a snapshot was kept")

    def snapshots(
        self, series: str, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[KeptSnapshot]:
        raise AssertionError("snapshots were asked for")

    def kept_rows(
        self, series: str, kind: KeptRowsKind, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[KeptRows]:
        raise AssertionError("rows were asked for")

    def series_names(self) -> list[str]:
        raise AssertionError("snapshots were listed")

    def newest_snapshot(self, series: str) -> KeptSnapshot | None:
        raise AssertionError("a snapshot was asked for")

    def snapshot_series(self) -> list[SnapshotSeries]:
        raise AssertionError("snapshots were listed")

    def forget_snapshots(self, series: str, before: datetime) -> None:
        raise AssertionError("snapshots were removed")

    def forget_series(self, seen: Sequence[SnapshotSeries]) -> str | None:
        raise AssertionError("snapshots were removed")

    def thin_snapshots(self, day: ThinnedDay) -> bool:
        raise AssertionError("snapshots were thinned")


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    """A context of this test alone."""
    with context(tmp_path / "journal") as (made, _):
        yield made


@pytest.fixture(scope="session")
def wheel() -> Path:
    """The bin folder of the embedded PostgreSQL 18."""
    try:
        return embedded.wheel_binaries()
    except WorldError as error:
        pytest.skip(f"{error.message}: {error.hint}")


@pytest.fixture(scope="session")
def server_18(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Iterator[embedded.Server]:
    """PostgreSQL 18 on direct I/O."""
    with _server(tmp_path_factory, wheel, {}) as server:
        yield server


@pytest.fixture(scope="session")
def server_16(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> Iterator[embedded.Server]:
    """PostgreSQL 16, whose pg_stat_io counts blocks; the wheel has it beside 18."""
    binaries = wheel.parent.parent / "pginstall" / "bin"
    if not (binaries / "postgres").is_file():
        pytest.skip(f"no postgresql 16 in {binaries}")
    with _server(tmp_path_factory, binaries, BEFORE_18) as server:
        yield server


@pytest.fixture(scope="session")
def server_15(tmp_path_factory: pytest.TempPathFactory) -> Iterator[embedded.Server]:
    """PostgreSQL 15, which has no pg_stat_io."""
    if not (DEBIAN_15 / "postgres").is_file():
        pytest.skip(f"no postgresql 15 in {DEBIAN_15}: install Debian's package postgresql")
    with _server(tmp_path_factory, DEBIAN_15, BEFORE_16) as server:
        yield server


@pytest.fixture(params=["server_15", "server_16", "server_18"])
def server(request: pytest.FixtureRequest) -> embedded.Server:
    """Each of the servers in turn."""
    return request.getfixturevalue(request.param)


@contextmanager
def _server(
    factory: pytest.TempPathFactory, binaries: Path, settings: dict[str, str]
) -> Iterator[embedded.Server]:
    with (
        context(factory.mktemp("journal")) as (made, _),
        embedded.running(made, PARENT, settings, binaries) as server,
    ):
        yield server
