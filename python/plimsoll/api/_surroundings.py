"""The surroundings of one call: its store, its listener, its scratch; and sizes, times and rates as numbers or words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from functools import cached_property
from os import PathLike
from typing import Any

from plimsoll.base import folders
from plimsoll.base.errors import UsageError
from plimsoll.cluster.chosen import executor_for
from plimsoll.context import (
    EVERY_RUN,
    Cancel,
    Context,
    RunFilter,
    Scratch,
    Store,
    ThinnedDay,
    scratch,
    stored_request,
)
from plimsoll.facts import Event, KeptRows, KeptRowsKind, KeptSnapshot, Run, RunSummary, SnapshotSeries
from plimsoll.ports.clock import SystemClock
from plimsoll.requests.asked import Request

Path = str | PathLike[str]
Listener = Callable[[Event], None]


class _KeepsNothing:
    """Reads the default store, which need not be there, and keeps nothing."""

    @cached_property
    def _read(self) -> Store:
        from plimsoll.store import open_store

        return open_store(None)

    def kept_open(self) -> AbstractContextManager[None]:
        return self._read.kept_open()

    def check(self) -> bool:
        return True

    def save(self, run: Run) -> None:
        pass

    def load(self, run_id: str) -> Run:
        return self._read.load(run_id)

    def find(self, run_id: str) -> RunSummary:
        return self._read.find(run_id)

    def summaries(self, limit: int | None = None, wanted: RunFilter = EVERY_RUN) -> list[RunSummary]:
        return self._read.summaries(limit, wanted)

    def retell(self, run_id: str, change: Callable[[Run], Run]) -> Run:
        raise UsageError("run-unknown", "nothing is changed in the default store here", "Name a store.")

    def columns(self, names: Sequence[str], known: str) -> list[dict[str, Any]]:
        return self._read.columns(names, known)

    def delete(self, run_ids: Sequence[str]) -> int:
        raise UsageError("run-unknown", "nothing is removed from the default store here", "Name a store.")

    def keep_snapshot(self, kept: KeptSnapshot, rows: Sequence[KeptRows] = ()) -> None:
        raise UsageError("option-idle", "every would keep nothing without store", "Name a store.")

    def snapshots(
        self, series: str, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[KeptSnapshot]:
        return self._read.snapshots(series, since, until)

    def kept_rows(
        self, series: str, kind: KeptRowsKind, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[KeptRows]:
        return self._read.kept_rows(series, kind, since, until)

    def series_names(self) -> list[str]:
        return self._read.series_names()

    def newest_snapshot(self, series: str) -> KeptSnapshot | None:
        return self._read.newest_snapshot(series)

    def snapshot_series(self) -> list[SnapshotSeries]:
        return self._read.snapshot_series()

    def forget_snapshots(self, series: str, before: datetime) -> None:
        raise UsageError("option-idle", "nothing is removed from the default store here", "Name a store.")

    def forget_series(self, seen: Sequence[SnapshotSeries]) -> str | None:
        raise UsageError("option-idle", "nothing is removed from the default store here", "Name a store.")

    def thin_snapshots(self, day: ThinnedDay) -> bool:
        raise UsageError("option-idle", "nothing is removed from the default store here", "Name a store.")


def keeps(ctx: Context) -> bool:
    """Whether runs are stored."""
    return not isinstance(ctx.store, _KeepsNothing)


@contextmanager
def surroundings(
    asked: Request,
    function: str,
    store: str | None,
    listen: Listener | None,
    cancel: Cancel | None,
    tags: tuple[str, ...] = (),
) -> Iterator[Context]:
    """Surroundings of one measurement; what it made as scratch is gone when the block ends, however it ends."""
    clock = SystemClock()
    journals = folders.state_folder() / "scratch"
    scratch.reclaim(journals, clock)
    with Scratch(journals, clock) as own_scratch, executor_for(asked, cancel) as executor:
        yield Context(
            clock=clock,
            events=listen or _ignore,
            cancel=cancel or Cancel(),
            scratch=own_scratch,
            executor=executor,
            store=_stored(store),
            command=f"plimsoll.{function}()",
            request=stored_request(asked),
            tags=tags,
        )


def _stored(place: str | None) -> Store:
    if place is None:
        return _KeepsNothing()
    from plimsoll.store import open_store

    return open_store(place)


def _ignore(event: Event) -> None:
    """Nobody listens."""
