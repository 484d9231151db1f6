"""One command's surroundings: the Context, Ctrl-C, progress for people, events for machines, and the way results go out."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import IO, TYPE_CHECKING, Any

from plimsoll.base import settings
from plimsoll.base.errors import ExitStatus, world_error
from plimsoll.cli import output
from plimsoll.cli.ask import ask_line
from plimsoll.context import Cancel, Context, LocalExecutor, Scratch, scratch
from plimsoll.facts import Event, Note, Run, RunSummary
from plimsoll.ports.clock import SystemClock
from plimsoll.ports.files import check_alike, open_text

if TYPE_CHECKING:
    from plimsoll.context import Store

_NOTES_OF_ONE_CODE_MAX = 10


class LazyStore:
    """Opens the run repository when it is first used, so that a command that fails early never touches it."""

    def __init__(self, place: str | None) -> None:
        self._place = place

    @cached_property
    def _store(self) -> Store:
        from plimsoll.store import open_store

        return open_store(self._place)

    def save(self, run: Run) -> None:
        self._store.save(run)

    def load(self, run_id: str) -> Run:
        return self._store.load(run_id)

    def summaries(self, limit: int | None = None) -> list[RunSummary]:
        return self._store.summaries(limit)


@dataclass
class Session:
    """What a command works with. `finish` is called once, last."""

    ctx: Context
    json: bool
    end_progress: Callable[[], None] = lambda: None
    """Takes away what moves on a terminal, before results are printed."""

    def finish(
        self,
        kind: str,
        data: Any,
        show: Callable[[], None],
        notes: Sequence[Note] = (),
        status: ExitStatus = ExitStatus.DONE,
    ) -> int:
        """Prints the result for machines or for people, warnings after it, and returns the exit status.

        A result that could not be stored is a job done in part, if nothing worse.
        """
        if status is ExitStatus.DONE and any(note.code == "not-stored" for note in notes):
            status = ExitStatus.DONE_IN_PART
        self.end_progress()
        if self.json:
            output.print_envelope(kind, data, notes)
            return int(status)
        if status is ExitStatus.INTERRUPTED:
            print("interrupted: this is what was measured until then")
        show()
        for message in told_notes(notes):
            print(f"note: {message}", file=sys.stderr)
        return int(status)


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
def session(json: bool = False, events: str | None = None, store: str | None = None) -> Iterator[Session]:
    """Everything for one command; what it made as scratch is gone when the block ends, however it ends."""
    clock = SystemClock()
    journals = settings.state_folder() / "scratch"
    with (
        _ctrl_c() as cancel,
        Scratch(journals, clock) as own_scratch,
        _event_sink(events) as written,
        _progress(events != "-") as shown,
    ):
        for taken in scratch.reclaim(journals, clock):
            print(f"note: took back what a run that was killed had left: {taken}", file=sys.stderr)
        ctx = Context(
            clock=clock,
            events=_to_all(written, shown),
            cancel=cancel,
            scratch=own_scratch,
            executor=LocalExecutor(),
            store=LazyStore(store),
            command=_command_line(),
            ask=_asker(shown),
        )
        yield Session(ctx, json, getattr(shown, "stop", lambda: None))


def _to_all(*listeners: Callable[[Event], None] | None) -> Callable[[Event], None]:
    """To each of them. One whose reader has gone, or whose disk is full, does not spoil the measurement."""
    wanted = [listener for listener in listeners if listener is not None]

    def tell(event: Event) -> None:
        for listener in wanted:
            with suppress(OSError):
                listener(event)

    return tell


def _asker(shown: Callable[[Event], None] | None) -> Callable[[str], str | None]:
    """Asks at the terminal while nothing moves there."""
    still = getattr(shown, "still", nullcontext)

    def ask(question: str) -> str | None:
        with still():
            return ask_line(question)

    return ask


def _command_line() -> str:
    from plimsoll.base.redact import redact

    return redact(" ".join(["plimsoll", *sys.argv[1:]]))


@contextmanager
def _ctrl_c() -> Iterator[Cancel]:
    """The first Ctrl-C or TERM asks all loops to end and keeps what was measured; the second ends at once."""
    cancel = Cancel()

    def asked(number: int, frame: FrameType | None) -> None:
        if cancel.is_set:
            raise KeyboardInterrupt
        cancel.set()
        # The signal may have come in the middle of a line of ours, and then this one cannot be written.
        with suppress(RuntimeError, OSError):
            print("\nending; what was measured is kept (once more to end at once)", file=sys.stderr)

    before = {number: signal.signal(number, asked) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield cancel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _event_sink(place: str | None) -> Iterator[Callable[[Event], None] | None]:
    """Writes each event as one line of JSON, as it happens."""
    if place is None:
        yield None
        return
    with _opened(place) as file:

        def write(event: Event) -> None:
            file.write(event.model_dump_json() + "\n")
            file.flush()

        yield write


@contextmanager
def _opened(place: str) -> Iterator[IO[str]]:
    if place == "-":
        yield sys.stderr
        return
    try:
        check_alike(Path(place), b'{"')
        file = open_text(Path(place))
    except OSError as error:
        raise world_error(
            "events-refused", f"write events to {place}", error, "Name another file, or -."
        ) from error
    try:
        yield file
    finally:
        # What is left to write fails as the events did, and was no more worth an error than they were.
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
