"""The surroundings of one call: its store, its listener, its scratch; and sizes, times and rates as numbers or words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path as FolderPath

from plimsoll.base import settings
from plimsoll.base.errors import UsageError
from plimsoll.base.units import parse_bytes, parse_rate, parse_seconds
from plimsoll.context import Cancel, Context, LocalExecutor, Scratch, Store, scratch
from plimsoll.facts import Event, Run, RunSummary
from plimsoll.ports.clock import SystemClock

Path = str | PathLike[str]
Listener = Callable[[Event], None]


class _Nowhere:
    """A store that keeps nothing."""

    def save(self, run: Run) -> None:
        pass

    def load(self, run_id: str) -> Run:
        raise UsageError("run-unknown", f"there is no run '{run_id}'", "Name a store.")

    def summaries(self, limit: int | None = None) -> list[RunSummary]:
        return []


@contextmanager
def surroundings(
    function: str, store: str | None, listen: Listener | None, cancel: Cancel | None
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
        )


def _stored(place: str | None) -> Store:
    if place is None:
        return _Nowhere()
    from plimsoll.store import open_store

    return open_store(place)


def _ignore(event: Event) -> None:
    """Nobody listens."""


def as_names(targets: Path | Sequence[Path]) -> tuple[str, ...]:
    some = [targets] if isinstance(targets, str | PathLike) else targets
    return tuple(fspath(target) for target in some)


def as_bytes(size: int | str) -> int:
    return parse_bytes(size) if isinstance(size, str) else size


def as_seconds(time: float | str) -> float:
    return parse_seconds(time) if isinstance(time, str) else time


def as_rate(rate: float | str) -> float:
    return parse_rate(rate) if isinstance(rate, str) else rate


def as_folder(folder: Path | None) -> FolderPath | None:
    return None if folder is None else FolderPath(folder)
