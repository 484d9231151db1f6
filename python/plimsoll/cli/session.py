"""One command's surroundings: the Context, Ctrl-C, progress for people, events for machines, and the way results go out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from plimsoll import __version__
from plimsoll.base import folders
from plimsoll.base.errors import ExitStatus, PlimsollError, reason_of, world_error
from plimsoll.base.printable import printable_json
from plimsoll.base.until_safe import UntilSafe, is_stored
from plimsoll.base.values import mutable
from plimsoll.cli import output
from plimsoll.cli.ask import ask_line
from plimsoll.cli.ending import watched
from plimsoll.cli.forms import no_table
from plimsoll.cli.output import say, talk
from plimsoll.cli.place import Form, Place
from plimsoll.cluster.chosen import executor_for
from plimsoll.context import (
    EVERY_RUN,
    Cancel,
    Context,
    RunFilter,
    Scratch,
    ThinnedDay,
    scratch,
    stored_request,
)
from plimsoll.ports.clock import SystemClock
from plimsoll.ports.files import open_lines

if TYPE_CHECKING:
    from plimsoll.cli.data import DataTable
    from plimsoll.context import Store
    from plimsoll.facts import (
        Event,
        KeptRows,
        KeptRowsKind,
        KeptSnapshot,
        Note,
        Run,
        RunSummary,
        SnapshotSeries,
    )

_NOTES_OF_ONE_CODE_MAX = 10


class LazyStore:
    """Opens the run repository when it is first used, so that a command that fails early never touches it."""

    def __init__(self, place: str | None, known: set[str] | None = None) -> None:
        self._place = place
        self._known = set[str]() if known is None else known
        """Names under which a run was stored or found, by this command."""

    @cached_property
    def _store(self) -> Store:
        from plimsoll.store import open_store

        return open_store(self._place)

    def kept_open(self) -> AbstractContextManager[None]:
        return self._store.kept_open()

    def check(self) -> bool:
        return self._store.check()

    def save(self, run: Run) -> None:
        try:
            self._store.save(run)
        except PlimsollError as error:
            if error.id == "run-exists":
                self._known.add(run.id)
            raise
        self._known.add(run.id)

    def load(self, run_id: str) -> Run:
        run = self._store.load(run_id)
        self._known.update((run_id, run.id))
        return run

    def find(self, run_id: str) -> RunSummary:
        return self._store.find(run_id)

    def summaries(self, limit: int | None = None, wanted: RunFilter = EVERY_RUN) -> list[RunSummary]:
        return self._store.summaries(limit, wanted)

    def retell(self, run_id: str, change: Callable[[Run], Run]) -> Run:
        run = self._store.retell(run_id, change)
        self._known.update((run_id, run.id))
        return run

    def columns(self, names: Sequence[str], known: str) -> list[dict[str, Any]]:
        return self._store.columns(names, known)

    def delete(self, run_ids: Sequence[str]) -> int:
        return self._store.delete(run_ids)

    def keep_snapshot(self, kept: KeptSnapshot, rows: Sequence[KeptRows] = ()) -> None:
        self._store.keep_snapshot(kept, rows)

    def snapshots(
        self, series: str, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[KeptSnapshot]:
        return self._store.snapshots(series, since, until)

    def kept_rows(
        self, series: str, kind: KeptRowsKind, since: datetime | None = None, until: datetime | None = None
    ) -> Iterator[KeptRows]:
        return self._store.kept_rows(series, kind, since, until)

    def series_names(self) -> list[str]:
        return self._store.series_names()

    def newest_snapshot(self, series: str) -> KeptSnapshot | None:
        return self._store.newest_snapshot(series)

    def snapshot_series(self) -> list[SnapshotSeries]:
        return self._store.snapshot_series()

    def forget_snapshots(self, series: str, before: datetime) -> None:
        self._store.forget_snapshots(series, before)

    def forget_series(self, seen: Sequence[SnapshotSeries]) -> str | None:
        return self._store.forget_series(seen)

    def thin_snapshots(self, day: ThinnedDay) -> bool:
        return self._store.thin_snapshots(day)


@mutable
class Session:
    """What a command works with. `finish` is called once, last."""

    ctx: Context
    json: bool
    end_progress: Callable[[], None] = lambda: None
    """Takes away what moves on a terminal, before results are printed."""
    lost: Callable[[], Sequence[Note]] = tuple
    """What of the command's own output came to nothing on the way; people were told when it happened."""
    form: Form = "table"
    table: str | None = None
    """Which of several tables, as data."""
    warned: Container[str] = ()
    """What people were told when it happened, and need not be told again at the end."""
    until: UntilSafe = field(default_factory=UntilSafe)
    """Holds, until the result is stored and printed, what the command would go on from."""
    known: Container[str] | None = None
    """Names of the runs that are in the store, as far as the command had to do with them; None: every run is taken to be there."""

    def finish(
        self,
        kind: str,
        data: Any,
        show: Callable[[], None],
        notes: Sequence[Note] = (),
        status: ExitStatus = ExitStatus.DONE,
        tables: Callable[[], Sequence[DataTable]] | None = None,
    ) -> int:
        """Prints the result for machines or for people, hands it on, warnings after it, and returns the exit status.

        A reader that left takes nothing from what was done; that it left is the status only in place of 0.

        `tables` are those of the result as data, the one first that is printed where none is named.

        A result that could not be stored, or events that could not be written, are a job done in part, if nothing worse. A run
        that is in no store has no id in `data`, whatever the command says there: it would be found nowhere.
        """
        data = output.with_runs(data, self.known)
        lost = self.lost()
        self.until.look_at(notes)
        if status is ExitStatus.DONE and (lost or not is_stored(notes)):
            status = ExitStatus.DONE_IN_PART
        self.end_progress()
        try:
            self._print(lambda: output.print_envelope(kind, data, (*notes, *lost)), show, status, tables)
            output.flush()
            is_document = self.json
        except output.ReaderLeft:
            if status is ExitStatus.DONE:
                return int(ExitStatus.READER_LEFT)
            is_document = False  # it was not read, so that its notes are told beside it
        if not is_document:
            self._tell(notes)
        return int(status)

    def _print(
        self,
        print_envelope: Callable[[], None],
        show: Callable[[], None],
        status: ExitStatus,
        tables: Callable[[], Sequence[DataTable]] | None,
    ) -> None:
        """In the form that was asked for. Raises ReaderLeft, WorldError `output-refused`, and what `_print_table` does."""
        if self.json:
            print_envelope()
        elif self.form != "table":
            self._print_table(tables)
        else:
            _show(show, status)

    def _tell(self, notes: Sequence[Note]) -> None:
        for message in told_notes([note for note in notes if note.message not in self.warned]):
            talk(f"note: {message}")

    def _print_table(self, tables: Callable[[], Sequence[DataTable]] | None) -> None:
        """Raises UsageError `format-no-table`, `table-unknown`."""
        if tables is None:
            raise no_table(self.form)
        from plimsoll.cli.data import chosen, print_table

        print_table(chosen(tables(), self.table), self.form)

    def finish_run(self, run: Run, notes: Sequence[Note] | None = None) -> int:
        """Finishes with what a run found: its kind knows the data, the words and the status. `notes` None: those of the run."""
        from plimsoll import results

        name = results.main_kind(run)
        kind = results.kinds().get(name or "")
        if name is None or kind is None:
            envelope, data = run.kind, {"run": run.id, **run.results}
        else:
            envelope, data = kind.envelope or name, kind.data(run, name)

        def show() -> None:
            from plimsoll.cli.show import show_result

            show_result(run)

        def tables() -> Sequence[DataTable]:
            from plimsoll.cli.data import of_runs

            return of_runs([run])

        told = run.notes if notes is None else notes
        return self.finish(envelope, data, show, told, results.status(run), tables)


def _show(show: Callable[[], None], status: ExitStatus) -> None:
    """For people; that it was interrupted is said first."""
    if status is ExitStatus.INTERRUPTED:
        say("interrupted: this is what was measured until then")
    show()


def told_notes(notes: Sequence[Note]) -> Iterator[str]:
    """Each message once, and of one code not more than a screen holds."""
    said: dict[str, dict[str, None]] = {}
    for note in notes:
        said.setdefault(note.code, {})[note.message] = None
    for code, messages in said.items():
        yield from list(messages)[:_NOTES_OF_ONE_CODE_MAX]
        if (more := len(messages) - _NOTES_OF_ONE_CODE_MAX) > 0:
            yield f"and {more} more such notes ({code}); --json has them all"


@contextmanager
def session(place: Place, *, tells_end: bool = True) -> Iterator[Session]:
    """Everything for one command; what it made as scratch is gone when the block ends, however it ends. `tells_end`: somebody
    sits there who is to know what Ctrl-C does."""
    clock, cancel = SystemClock(), Cancel()
    warned: set[str] = set()
    journals = folders.state_folder() / "scratch"
    own_scratch = Scratch(journals, clock)
    known = set[str]()
    with (
        watched(cancel, own_scratch.end_helpers, tells=tells_end),
        _taken_back(own_scratch),
        _progress(place.events != "-") as shown,
        _event_sink(place.events, shown) as written,
        executor_for(place.asked, cancel) as executor,
        UntilSafe() as until,
    ):
        _tell_reclaimed(scratch.reclaim(journals, clock))
        ctx = Context(
            clock=clock,
            events=_to_all(written, shown, None if shown is None else _remember(warned)),
            cancel=cancel,
            scratch=own_scratch,
            executor=executor,
            store=LazyStore(place.store, known),
            command=_command_line(),
            request=None if place.asked is None else stored_request(place.asked),
            tags=place.tags,
            ask=_asker(shown),
        )
        lost = tuple if written is None else lambda: written.lost
        stop = getattr(shown, "stop", lambda: None)
        yield Session(ctx, place.json, stop, lost, place.form, place.table, warned, until, known)


_LEFT_MAX = 3
"""A server has hundreds of processes."""


@contextmanager
def _taken_back(own_scratch: Scratch) -> Iterator[None]:
    """At the end; whoever is not back in his own groups then is told of, as he is somebody else's."""
    try:
        yield
    finally:
        left = own_scratch.close()
        for one in left[:_LEFT_MAX]:
            talk(f"note: not taken back: {one}; the next command of Plimsoll tries it again")
        if len(left) > _LEFT_MAX:
            talk(f"note: not taken back: {len(left) - _LEFT_MAX} more like these")


def _tell_reclaimed(found: scratch.Reclaimed) -> None:
    for taken in found.taken:
        talk(f"note: took back what a run that was killed had left: {taken}")
    for left in found.left:
        talk(f"note: not taken back: {left}")


def _to_all(*listeners: Callable[[Event], None] | None) -> Callable[[Event], None]:
    """To each of them. One whose reader has gone does not spoil the measurement."""
    wanted = [listener for listener in listeners if listener is not None]

    def tell(event: Event) -> None:
        for listener in wanted:
            with suppress(OSError):
                listener(event)

    return tell


def _remember(warned: set[str]) -> Callable[[Event], None]:
    def remember(event: Event) -> None:
        if event.kind == "remark" and event.warning:
            warned.add(event.message)

    return remember


def _asker(shown: Callable[[Event], None] | None) -> Callable[[str], str | None]:
    """Asks at the terminal while nothing moves there."""
    still = getattr(shown, "still", nullcontext)

    def ask(question: str) -> str | None:
        with still():
            return ask_line(question)

    return ask


def _command_line() -> str:
    from plimsoll.base.redact import redact_command

    return redact_command(["plimsoll", *sys.argv[1:]])


_EVENTS_START = b'{"plimsoll_events":'
"""By this a file of events is known from other lines of JSON, which are not replaced."""


class EventLines:
    """Writes each event as one line of JSON, as it happens, after a line that says what they are.

    When a line cannot be written, that is told once, and no more are. A reader that leaves has what it wanted.
    """

    def __init__(self, file: IO[bytes], place: str, tell: Callable[[Event], None] | None) -> None:
        self._file = file
        self._place = place
        self._tell = tell
        self._ended = False
        self.lost: tuple[Note, ...] = ()
        self._write(_EVENTS_START + f'1,"kind":"begin","plimsoll":"{__version__}"}}'.encode())

    def __call__(self, event: Event) -> None:
        self._write(printable_json(event.model_dump_json()).encode())

    def _write(self, line: bytes) -> None:
        if self._ended:
            return
        try:
            self._file.write(line + b"\n")
            self._file.flush()
        except OSError as error:
            self._ended = True
            if not isinstance(error, BrokenPipeError):
                self._lose(error)

    def _lose(self, error: OSError) -> None:
        from plimsoll.facts import Note, Remark

        where = "standard error" if self._place == "-" else self._place
        message = f"could not write events to {where}: {reason_of(error)}; those that follow are lost, and the command goes on"
        self.lost = (Note(code="events-lost", message=message),)
        if self._tell is not None:
            with suppress(OSError):
                self._tell(Remark(stage="events", message=message, warning=True))


@contextmanager
def _event_sink(place: str | None, tell: Callable[[Event], None] | None) -> Iterator[EventLines | None]:
    if place is None:
        yield None
        return
    with _opened(place) as file:
        yield EventLines(file, place, tell)


@contextmanager
def _opened(place: str) -> Iterator[IO[bytes]]:
    if place == "-":
        yield sys.stderr.buffer
        return
    try:
        file = open_lines(Path(place), _EVENTS_START)
    except OSError as error:
        raise world_error(
            "events-refused", f"write events to {place}", error, "Name another file, or -."
        ) from error
    try:
        yield file
    finally:
        # What is left to write fails as the events did, which was told.
        with suppress(OSError):
            file.close()


@contextmanager
def _progress(wanted: bool) -> Iterator[Callable[[Event], None] | None]:
    """Progress for people, on standard error: a moving line on a terminal, a sentence now and then elsewhere."""
    if not wanted:
        yield None
        return
    if sys.stderr.isatty():
        from plimsoll.cli.progress import on_terminal

        with on_terminal() as listener:
            yield listener
    else:
        from plimsoll.cli.progress import in_sentences

        yield in_sentences(SystemClock())
