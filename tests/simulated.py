"""Line searches on simulated devices, for the tests that check the method: the real flow on the real engine in virtual time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from plimsoll.base.errors import WorldError
from plimsoll.context import EVERY_RUN, Cancel, Context, LocalExecutor, RunFilter, Scratch, ThinnedDay
from plimsoll.facts import Event, KeptRows, KeptRowsKind, KeptSnapshot, Line, Run, RunSummary, SnapshotSeries
from plimsoll.flows.line import search_line, search_of
from plimsoll.ports.clock import SystemClock
from plimsoll.requests.line import LineRequest
from plimsoll.store.columns import values_of
from plimsoll.store.summary import summarize
from plimsoll.supply.targets import Wish, opened


class MemoryStore:
    """Keeps runs for one test."""

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.kept: list[KeptSnapshot] = []
        self.rows: list[tuple[str, KeptRows]] = []

    def kept_open(self) -> AbstractContextManager[None]:
        return nullcontext()

    def check(self) -> bool:
        return True

    def save(self, run: Run) -> None:
        self.runs.append(run)

    def load(self, run_id: str) -> Run:
        return next(run for run in reversed(self.runs) if run_id in ("latest", run.id))

    def find(self, run_id: str) -> RunSummary:
        return summarize(self.load(run_id))

    def summaries(self, limit: int | None = None, wanted: RunFilter = EVERY_RUN) -> list[RunSummary]:
        return [summarize(run) for run in reversed(self.runs)][:limit]

    def retell(self, run_id: str, change: Callable[[Run], Run]) -> Run:
        run = self.load(run_id)
        self.runs[self.runs.index(run)] = change(run)
        return change(run)

    def columns(self, names: Sequence[str], known: str) -> list[dict[str, Any]]:
        return [
            row for run in reversed(self.runs) if (row := values_of(run, {*names, known}))[known] is not None
        ]

    def delete(self, run_ids: Sequence[str]) -> int:
        self.runs = [run for run in self.runs if run.id not in run_ids]
        return 0

    def keep_snapshot(self, kept: KeptSnapshot, rows: Sequence[KeptRows] = ()) -> None:
        self.kept.append(kept)
        self.rows += [(kept.series, part) for part in rows]

    def kept_rows(
        self, series: str, kind: KeptRowsKind, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[KeptRows]:
        for of, part in self.rows:
            is_in = (since or _EVER) <= part.taken_at and (until is None or part.taken_at <= until)
            if (of, part.kind) == (series, kind) and is_in:
                yield part

    def snapshots(
        self, series: str, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[KeptSnapshot]:
        for one in self._of(series):
            if (since or _EVER) <= one.snapshot.taken_at and (
                until is None or one.snapshot.taken_at <= until
            ):
                yield one

    def series_names(self) -> list[str]:
        return sorted({one.series for one in self.kept})

    def newest_snapshot(self, series: str) -> KeptSnapshot | None:
        return next(reversed(self._of(series)), None)

    def snapshot_series(self) -> list[SnapshotSeries]:
        return [_in_short(name, self._of(name)) for name in self.series_names()]

    def forget_snapshots(self, series: str, before: datetime) -> None:
        old = [one for one in self._of(series) if one.snapshot.taken_at < before]
        self.kept = [one for one in self.kept if one not in old]

    def forget_series(self, seen: Sequence[SnapshotSeries]) -> str | None:
        for one in seen:
            if one != _in_short(one.series, self._of(one.series)):
                return one.series
        names = {one.series for one in seen}
        self.kept = [one for one in self.kept if one.series not in names]
        self.rows = [(of, part) for of, part in self.rows if of not in names]
        return None

    def thin_snapshots(self, day: ThinnedDay) -> bool:
        changed = {one.snapshot.taken_at: one for one in day.changed}
        others = [one for one in self.kept if one.series != day.series]
        own = [one for one in self._of(day.series) if one.snapshot.taken_at not in day.removed]
        self.kept = [*others, *(changed.get(one.snapshot.taken_at, one) for one in own)]
        self.rows = [
            (of, part)
            for of, part in self.rows
            if of != day.series or part.kind not in day.kinds or not day.begin <= part.taken_at < day.end
        ]
        self.rows += [(day.series, part) for part in day.rows]
        self.rows.sort(key=lambda row: row[1].taken_at)
        return True

    def _of(self, series: str) -> list[KeptSnapshot]:
        found = [one for one in self.kept if one.series == series]
        return sorted(found, key=lambda one: one.snapshot.taken_at)


_EVER = datetime.min.replace(tzinfo=UTC)


class RefusingStore(MemoryStore):
    """Takes no run, and says so where it is asked before."""

    def check(self) -> bool:
        raise WorldError("store-unopenable", "could not open the store: it is a folder", "hint")


def _in_short(name: str, kept: Sequence[KeptSnapshot]) -> SnapshotSeries:
    first, last = kept[0].snapshot.taken_at, kept[-1].snapshot.taken_at
    return SnapshotSeries(series=name, snapshots=len(kept), first_at=first, last_at=last, size_bytes=0)


@contextmanager
def context(journals: Path, listen: Callable[[Event], None] = lambda event: None) -> Iterator[Context]:
    """A context whose scratch is taken back at the end."""
    with Scratch(journals) as scratch:
        yield Context(
            clock=SystemClock(),
            events=listen,
            cancel=Cancel(),
            scratch=scratch,
            executor=LocalExecutor(),
            store=MemoryStore(),
        )


def find(journals: Path, target: str, slo: str = "p99=1ms", **asked: Any) -> Line:
    """The line of a simulated target."""
    with context(journals) as ctx:
        return find_with(ctx, target, slo, **asked)


def find_with(ctx: Context, target: str, slo: str = "p99=1ms", **asked: Any) -> Line:
    """The line of a simulated target, in a context that the test keeps."""
    request = LineRequest(target=target, slo=slo, **asked)
    with opened(ctx, Wish(target)) as made:
        line, _ = search_line(ctx, made, search_of(ctx, request))
    return line


def queue_line(mean_us: float, quantile: float, limit_us: float) -> float:
    """Where an M/M/1 queue's quantile meets its limit: the time in it is exponential with rate μ - λ, so λ = μ + ln(1-q)/t."""
    return 1e6 / mean_us + math.log(1 - quantile) / (limit_us / 1e6)
