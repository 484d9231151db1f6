"""The surroundings of one call: its store, its listener, its scratch; and sizes, times and rates as numbers or words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any

from plimsoll.base import settings
from plimsoll.base.errors import UsageError
from plimsoll.context import (
    EVERY_RUN,
    Cancel,
    Context,
    LocalExecutor,
    RunFilter,
    Scratch,
    Store,
    scratch,
    stored_request,
)
from plimsoll.facts import Event, Run, RunSummary
from plimsoll.ports.clock import SystemClock
from plimsoll.requests.asked import Request

Path = str | PathLike[str]
Listener = Callable[[Event], None]


class _Nowhere:
    """A store that keeps nothing."""

    def save(self, run: Run) -> None:
        pass

    def load(self, run_id: str) -> Run:
        raise UsageError("run-unknown", f"there is no run '{run_id}'", "Name a store.")

    def find(self, run_id: str) -> RunSummary:
        raise UsageError("run-unknown", f"there is no run '{run_id}'", "Name a store.")

    def summaries(self, limit: int | None = None, wanted: RunFilter = EVERY_RUN) -> list[RunSummary]:
        return []

    def retell(self, run_id: str, change: Callable[[Run], Run]) -> Run:
        raise UsageError("run-unknown", f"there is no run '{run_id}'", "Name a store.")

    def columns(self, names: Sequence[str], known: str) -> list[dict[str, Any]]:
        return []

    def delete(self, run_ids: Sequence[str]) -> int:
        raise UsageError("run-unknown", "there are no runs", "Name a store.")


@contextmanager
def surroundings(
    asked: Request, function: str, store: str | None, listen: Listener | None, cancel: Cancel | None
) -> Iterator[Context]:
    """Surroundings of one measurement; what it made as scratch is gone when the block ends, however it ends."""
    clock = SystemClock()
    journals = settings.state_folder() / "scratch"
    scratch.reclaim(journals, clock)
    with Scratch(journals, clock) as own_scratch:
        yield Context(
            clock=clock,
            events=listen or _ignore,
            cancel=cancel or Cancel(),
            scratch=own_scratch,
            executor=LocalExecutor(),
            store=_stored(store),
            command=f"plimsoll.{function}()",
            request=stored_request(asked),
        )


def _stored(place: str | None) -> Store:
    if place is None:
        return _Nowhere()
    from plimsoll.store import open_store

    return open_store(place)


def _ignore(event: Event) -> None:
    """Nobody listens."""
