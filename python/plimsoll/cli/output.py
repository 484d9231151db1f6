"""What goes where: one JSON envelope or a person's text on standard output, talk and errors on standard error.

All that a command prints leaves through here, so that no name that a stranger chose reaches a terminal as it is.
"""

from __future__ import annotations

import errno
import io
import json
import sys
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from itertools import chain, pairwise
from typing import IO, TYPE_CHECKING, Any, TextIO, cast

from plimsoll import __version__
from plimsoll.base import settings
from plimsoll.base.errors import ExitStatus, PlimsollError, world_error
from plimsoll.base.limits import DOCUMENT_BYTES_IN_MEMORY_MAX
from plimsoll.base.printable import printable, printable_json, printable_lines
from plimsoll.base.until_safe import is_stored
from plimsoll.base.values import value
from plimsoll.cli.width import fold, terminal_width

if TYPE_CHECKING:
    from plimsoll.facts import Fact, Run

SCHEMA = 1


class ReaderLeft(Exception):
    """The program that read standard output has gone. Raised of nothing else; other pipes may break, too."""


@value
class JsonText:
    """Data that is JSON already, in pieces: what is large need not stand in memory as a whole."""

    pieces: Iterable[str]


@value
class JsonFact:
    """Data that is the fields of a fact after those of `front`; its lists are made element by element."""

    front: Mapping[str, Any]
    fact: Fact


_RUN = "run"
"""The field of every document that names a run."""


def with_runs(data: Any, known: Container[str] | None) -> Any:
    """`data` in which a run is null whose name is not `known`; None: all are. `data` is what `print_envelope` takes."""
    if known is None:
        return data
    if isinstance(data, JsonFact):
        return JsonFact(with_runs(dict(data.front), known), data.fact)
    if isinstance(data, list):
        return [with_runs(one, known) for one in cast("list[Any]", data)]
    if not isinstance(data, dict):
        return data
    named = cast("dict[str, Any]", data)
    return {**named, _RUN: None} if _RUN in named and named[_RUN] not in known else named


def say(line: object = "") -> None:
    """Prints one line of a result for people, folded to the width of a terminal."""
    for part in fold(printable(str(line)), terminal_width(sys.stdout)):
        _put(part)


def say_lines(text: str) -> None:
    """Prints a text of ours that has several lines."""
    _put(printable_lines(text))


def print_text(text: str) -> None:
    """Prints somebody's text as it is, in which nothing is left that a terminal would obey."""
    _put(text, end="")


def print_line(line: str) -> None:
    """Prints a line that is safe to be seen, and laid out already."""
    _put(line)


def print_data_line(line: str) -> None:
    """Prints one line of a table for machines, without this command's own passwords."""
    _put(printable(_shown(line) if _known_words() else line))


def say_rows(rows: Iterable[Sequence[str]]) -> None:
    """Prints rows for a program, with tabs between their columns."""
    for row in rows:
        _put("\t".join(printable(one) for one in row))


def talk(line: str) -> None:
    """Prints one line beside the result: notes, progress, errors; folded to the width of a terminal.

    Where nobody takes it, the result loses nothing by that.
    """
    with suppress(OSError):
        for part in fold(printable(line), terminal_width(sys.stderr)):
            print(part, file=sys.stderr, flush=True)


def begin_streams() -> None:
    """Makes standard output and standard error such that nothing printed there is lost in silence.

    Where one was closed before the start, nothing that is opened later comes to lie in its place. What is printed to a closed
    standard output is refused; of the talk nobody asks. Where Python buffers nothing (PYTHONUNBUFFERED), it loses what a write
    leaves that is short: both are buffered by lines.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        from plimsoll.ports.processes import hold_closed_streams

        hold_closed_streams()
    if sys.stdout is None:
        sys.stdout = _Closed()
    elif sys.stdout is sys.__stdout__:
        sys.stdout = written_whole(sys.stdout)
    if sys.stderr is None:
        # Print would take standard output in its place.
        sys.stderr = _Nowhere()
    elif sys.stderr is sys.__stderr__:
        sys.stderr = written_whole(sys.stderr)


def written_whole(stream: TextIO) -> TextIO:
    """The stream, buffered by lines where it was not buffered: what a write leaves is written, or an OSError. Both close what is
    beneath them when they are given up: it is for those that a process began with, which Python keeps.
    """
    if isinstance(stream, io.TextIOWrapper) and isinstance(
        raw := cast("object", stream.buffer), io.RawIOBase
    ):
        buffer = io.BufferedWriter(raw)
        return io.TextIOWrapper(buffer, encoding=stream.encoding, errors=stream.errors, line_buffering=True)
    return stream


def end_talk() -> None:
    """What nobody took of the talk is given up; Python would end the process with a status of its own, 120."""
    try:
        sys.stderr.flush()
    except OSError:
        sys.stderr = _Nowhere()


class _Closed(io.TextIOBase):
    """Takes nothing, as what is closed."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, "Bad file descriptor")


class _Nowhere(io.TextIOBase):
    """Takes everything, and does nothing with it."""

    def write(self, text: str) -> int:
        return len(text)


def print_document(document: str) -> None:
    """Prints one JSON document for machines."""
    _begun[:] = [True]
    _put(printable_json(document))


def flush() -> None:
    """Hands on what was printed. Raises WorldError `output-refused`, ReaderLeft."""
    if sys.stdout is not None:
        with _taken():
            sys.stdout.flush()


def _put(text: str, end: str = "\n") -> None:
    """Everything for standard output goes through here. Raises WorldError `output-refused`, ReaderLeft."""
    with _taken():
        print(text, end=end)


@contextmanager
def _taken() -> Iterator[None]:
    """What standard output refuses is an error of the world; nothing more is printed there, also not at the end of the process,
    nor after what was interrupted in its middle.
    """
    try:
        yield
    except KeyboardInterrupt:
        sys.stdout = None
        raise
    except BrokenPipeError as error:
        sys.stdout = None
        raise ReaderLeft from error
    except OSError as error:
        sys.stdout = None
        raise world_error(
            "output-refused", "write to standard output", error, "Write to another place."
        ) from error


def print_envelope(kind: str, data: Any, warnings: Sequence[Any] = ()) -> None:
    """Prints the one JSON document of `--json`. `data` is JSON-ready, or JsonText, or a JsonFact."""
    from plimsoll.base.redact import redact_document

    known = _known_words()
    if isinstance(data, JsonFact):
        data = JsonText(in_pieces(data.front, data.fact))
    if not isinstance(data, JsonText):
        from plimsoll.facts.document import apart

        data, distributions = apart(data)
        print_document(redact_document(envelope(kind, data, warnings, distributions), known))
        return
    before, after = envelope(kind, _PLACE, warnings).split(f'"{_PLACE}"', 1)
    pieces = chain([before], data.pieces, [after, "\n"])
    # A word of ours that has a password may be cut by the end of a piece; few commands have one.
    _print_whole([redact_document("".join(pieces), known)] if known else pieces)


def _print_whole(pieces: Iterable[str]) -> None:
    """Prints a document once all of its pieces are made: what fails until then leaves nothing of it behind.

    Raises WorldError `output-refused`, ReaderLeft, and what making a piece does.
    """
    from plimsoll.ports.files import open_spool

    with open_spool(DOCUMENT_BYTES_IN_MEMORY_MAX) as whole:
        for piece in pieces:
            _wait_in(whole, printable_json(piece))
        whole.seek(0)
        _begun[:] = [True]
        with _taken():
            while part := whole.read(_PART_LETTERS):
                print(part, end="")


def _wait_in(whole: IO[str], piece: str) -> None:
    try:
        whole.write(piece)
    except OSError as error:
        hint = "Name a folder with more room by the variable TMPDIR."
        raise world_error(
            "output-refused", "write the document to a file until it is whole", error, hint
        ) from error


def in_pieces(front: Mapping[str, Any], fact: Fact) -> Iterator[str]:
    """The JSON of `front` and of a fact's fields, its lists element by element: those of a demand may be many thousands."""
    yield _json(front).removesuffix("}")
    for place, name in enumerate(type(fact).model_fields):
        yield f'{", " if front or place else ""}"{name}": '
        held = getattr(fact, name)
        if isinstance(held, Sequence) and held and hasattr(held[0], "model_dump"):
            yield from _in_list(cast("Sequence[Fact]", held))
        else:
            yield _json(fact.model_dump(mode="json", include={name})[name])
    yield "}"


def _in_list(facts: Iterable[Fact]) -> Iterator[str]:
    for place, one in enumerate(facts):
        yield f"{', ' if place else '['}{_json(one.model_dump(mode='json'))}"
    yield "]"


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


_PLACE = "<data>"
_PART_LETTERS = 1 << 16


def envelope(
    kind: str, data: Any, warnings: Sequence[Any] = (), distributions: Mapping[str, str] | None = None
) -> str:
    """The one JSON document of `--json`. `data` is JSON-ready; `warnings` are Notes; `distributions` are those that it names."""
    document = {
        "plimsoll": __version__,
        "schema": SCHEMA,
        "kind": kind,
        "data": data,
        **({"distributions": distributions} if distributions else {}),
        "warnings": [{"code": note.code, "message": note.message} for note in warnings],
    }
    return _json(document)


def run_words(run: Run, before: str = "") -> str:
    """Under which id it is stored; empty where it could not be, as that id would be found nowhere."""
    return f"{before}run {run.id}" if is_stored(run.notes) else ""


def say_run(run: Run) -> None:
    """The same as a line."""
    if words := run_words(run):
        say(words)


def fail(error: PlimsollError, words: Sequence[str] = ()) -> int:
    """Says the error in one line, then the hint; with `--json` among the words also as a document. Returns the status."""
    message, hint = _shown(error.message), error.hint and _shown(error.hint)
    _print_error(words, {"id": error.id, "message": message, "hint": hint, "status": int(error.status)})
    talk(f"error: {message}")
    if hint:
        talk(f"hint: {hint}")
    return int(error.status)


def _print_error(words: Sequence[str], data: Mapping[str, Any]) -> None:
    """As a document, where one is wanted. That nobody reads it changes nothing of the error, which is told beside it."""
    if _wants_document(words):
        with suppress(ReaderLeft):
            print_document(envelope("error", data))


def own_defect(error: BaseException, words: Sequence[str] = ()) -> int:
    """Our mistake: says so, with the text to report."""
    import traceback

    status = int(ExitStatus.OWN_DEFECT)
    _print_error(words, {"id": "internal", "message": _shown(repr(error)), "hint": None, "status": status})
    talk("error: this is a defect of plimsoll itself; please report the text below")
    talk(f"plimsoll {__version__}, python {sys.version.split()[0]}")
    for line in _shown("".join(traceback.format_exception(error))).splitlines():
        talk(line)
    return status


def is_given_up() -> bool:
    """Whether nothing more can be printed on standard output."""
    return sys.stdout is None


def begin(words: Sequence[str]) -> None:
    """Takes note of the words of this command, whose passwords must not be printed."""
    _typed[:] = words
    _begun.clear()
    _forms.clear()


def answer_in(form: str) -> None:
    """Takes note of the form of the answer, once the words are understood."""
    _forms[:] = [form]


def _wants_document(words: Sequence[str]) -> bool:
    """Whether an error that ends the command, which has its words, is a JSON document: as they were understood, else as typed.

    None comes after another one.
    """
    if _begun:
        return False
    if _forms and words:
        return _forms[0] == "json"
    return "--json" in words or "--format=json" in words or ("--format", "json") in pairwise(words)


_typed: list[str] = []
_forms: list[str] = []
"""The form of this command's answer; empty until its words are understood."""
_begun: list[bool] = []
"""Empty until a document was begun on standard output."""


def _shown(text: str) -> str:
    """The text without the passwords of this command's own words and surroundings, in whatever part or form it quotes them."""
    from plimsoll.base.redact import redact_knowing

    return redact_knowing(text, _known_words())


def _known_words() -> tuple[str, ...]:
    return _hiding((*_typed, *sys.argv[1:], *settings.words_with_secrets()))


@lru_cache(maxsize=4)
def _hiding(words: tuple[str, ...]) -> tuple[str, ...]:
    """Looked for once: a command may name ten thousand files, and fail at each of them."""
    from plimsoll.base.redact import words_that_hide

    return tuple(words_that_hide(words))
