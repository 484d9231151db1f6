"""The bundle that every flow takes as its first argument."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from plimsoll.base.values import value
from plimsoll.context.cancel import Cancel
from plimsoll.context.executor import Executor
from plimsoll.context.scratch import Scratch
from plimsoll.context.thinned_day import ThinnedDay
from plimsoll.ports.clock import Clock

if TYPE_CHECKING:
    from plimsoll.facts import (
        Event,
        KeptRows,
        KeptRowsKind,
        KeptSnapshot,
        Live,
        Run,
        RunSummary,
        SnapshotSeries,
        StoredRequest,
        Tick,
    )


@value
class RunFilter:
    """Which of the stored runs are wanted: all that fit every one of these."""

    kind: str | None = None
    target: str | None = None
    """Part of the target's path or of the title, upper and lower case alike."""
    tags: tuple[str, ...] = ()
    """All of them."""
    since: datetime | None = None


EVERY_RUN = RunFilter()


class Store(Protocol):
    """The run repository as flows see it; plimsoll.store implements it."""

    def kept_open(self) -> AbstractContextManager[None]:
        """Within it the store is opened once, where that helps, and not for each call. For what is over in seconds."""
        ...

    def check(self) -> bool:
        """Raises what `save` would, where that is known before there is a run; makes nothing. For what cannot be measured again.

        Whether `save` finds the store ready; else it is not there or of another version, and `save` makes it so first.
        """
        ...

    def save(self, run: Run) -> None:
        """Keeps the run, all of it in one transaction; it survives a kill and a power cut once this returns."""
        ...

    def load(self, run_id: str) -> Run:
        """The run of that id, of a unique beginning of it, `latest` or `latest~1`. Raises UsageError `run-unknown`."""
        ...

    def find(self, run_id: str) -> RunSummary:
        """The line of a run, named as for `load`."""
        ...

    def summaries(self, limit: int | None = None, wanted: RunFilter = EVERY_RUN) -> list[RunSummary]:
        """Newest first."""
        ...

    def retell(self, run_id: str, change: Callable[[Run], Run]) -> Run:
        """Changes what people say of a run, its tags and notes, in one transaction; returns it as it is then."""
        ...

    def columns(self, names: Sequence[str], known: str) -> list[dict[str, Any]]:
        """Those columns of the runs of which the column `known` is not None, newest first."""
        ...

    def delete(self, run_ids: Sequence[str]) -> int:
        """Removes runs by their whole ids, all or none; returns the bytes that they took."""
        ...

    def keep_snapshot(self, kept: KeptSnapshot, rows: Sequence[KeptRows] = ()) -> None:
        """Keeps the snapshot and its rows in one transaction; they survive a kill and a power cut once this returns."""
        ...

    def snapshots(
        self, series: str, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[KeptSnapshot]:
        """Those of a series that were taken in that time, by the server's clock; oldest first."""
        ...

    def kept_rows(
        self, series: str, kind: KeptRowsKind, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[KeptRows]:
        """Rows of one kind that were kept with the snapshots of that time; oldest first."""
        ...

    def series_names(self) -> list[str]:
        """The names of all series of snapshots, sorted: at once, however much is kept."""
        ...

    def newest_snapshot(self, series: str) -> KeptSnapshot | None:
        """The last one of a series; None where there is none."""
        ...

    def snapshot_series(self) -> list[SnapshotSeries]:
        """Each series of snapshots in short, by name."""
        ...

    def forget_snapshots(self, series: str, before: datetime) -> None:
        """Removes those of a series that were taken earlier, for good; the intervals that were made of them stay."""
        ...

    def forget_series(self, seen: Sequence[SnapshotSeries]) -> str | None:
        """Removes all of these, in one transaction; where one is not as it was seen, says which, and removes nothing."""
        ...

    def thin_snapshots(self, day: ThinnedDay) -> bool:
        """Puts it in the place of what is kept of that day, in one transaction; False where something else is kept by now."""
        ...


def nobody(question: str) -> None:
    """Answers for a person who is not there."""


@value
class Context:
    """Everything a flow may touch besides its arguments. `command` is what the user typed, for provenance."""

    clock: Clock
    events: Callable[[Event], None]
    cancel: Cancel
    scratch: Scratch
    executor: Executor
    store: Store
    command: str = ""
    request: StoredRequest | None = None
    """What was asked, to be kept with the run."""
    tags: tuple[str, ...] = ()
    """Of every run that is made."""
    ask: Callable[[str], str | None] = nobody
    """Puts a question to the person at the terminal; None when there is none."""

    def progress(
        self,
        stage: str,
        message: str,
        share: float | None = None,
        left_s: float | None = None,
        finished: bool = False,
    ) -> None:
        """Says how far a stage is."""
        # Imported when used, here and below: what is over in a moment tells nothing on its way.
        from plimsoll.facts import Progress

        self.events(Progress(stage=stage, message=message, share=share, left_s=left_s, finished=finished))

    def remark(self, stage: str, message: str, warning: bool = False) -> None:
        """Says a sentence worth reading while it happens."""
        from plimsoll.facts import Remark

        self.events(Remark(stage=stage, message=message, warning=warning))

    def tick(self, seen: Tick) -> None:
        """Passes on who did which I/O since the tick before."""
        self.events(seen)

    def live(self, figures: Live) -> None:
        """Passes on figures of the moment."""
        self.events(figures)
