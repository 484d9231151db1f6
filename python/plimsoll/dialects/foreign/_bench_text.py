"""What readers of other benchmarks have in common: the text of a small file, numbers in it, and what is said of a version."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from plimsoll.base.errors import PlimsollError, UnreadableError, input_error
from plimsoll.dialects.foreign import FIGURES_UNREAD, Imported
from plimsoll.facts import ForeignBench, ForeignFigure, ForeignSetting, Note
from plimsoll.ports import files

_BYTES_MAX = 4 << 20
_HEAD_BYTES = 1 << 16


def head_of(path: Path) -> str:
    """The beginning of a file; nothing of one that cannot be read."""
    return files.read_head(path, _HEAD_BYTES) or ""


def text_of(path: Path, tool: str) -> str:
    """All of it. Raises UnreadableError `import-broken` for one that is too long, `import-unreadable`."""
    try:
        return files.read_input(path, _BYTES_MAX).decode(errors="replace")
    except files.TooLargeError as error:
        message = f"{path} is longer than any result of {tool}"
        raise UnreadableError("import-broken", message, "Name the file of one result alone.") from error
    except OSError as error:
        raise input_error("import-unreadable", path, error, "Look at it with ls -l.") from error


def broken(
    path: Path, line: int, what: str, hint: str = "Name the whole result, as the tool wrote it."
) -> UnreadableError:
    """Why a result cannot be taken in, and in which line."""
    return UnreadableError("import-broken", f"{path}, line {line:,}: {what}", hint)


def number(text: str) -> float | None:
    """A number that can be counted with; None for what is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def unread(odd: Sequence[str]) -> Iterable[Note]:
    """Says which figures are unknown because something else stands there; that reaches the exit status."""
    if odd:
        more = f", and {len(odd) - 3} more" if len(odd) > 3 else ""
        message = f"no number that can be counted with, and unknown: {'; '.join(odd[:3])}{more}"
        yield Note(code=FIGURES_UNREAD, message=message)


def together(parts: Iterable[tuple[str, int]], read: Callable[[str, int], Imported]) -> Imported:
    """All results of a file, of which there is one at least: what is broken is told, and does not hold up the rest.

    A part is its text and where it stands. Raises UnreadableError where nothing is left.
    """
    made, failures = list[Imported](), list[PlimsollError]()
    for part in parts:
        try:
            made.append(read(*part))
        except UnreadableError as error:
            failures.append(error)
    if not made:
        raise failures[0]
    return replace(made[0], more=tuple(made[1:]), failures=tuple(failures))


def imported(
    path: Path,
    tool: str,
    version: str | None,
    known: bool,
    figures: Iterable[ForeignFigure],
    text: str,
    settings: Iterable[tuple[str, str]] = (),
    title: str = "",
    started_at: datetime | None = None,
    notes: Iterable[Note] = (),
) -> Imported:
    """The result, with a note where its version is one that nobody looked at here."""
    bench = ForeignBench(
        tool=tool,
        version=version,
        is_known_version=known,
        settings=tuple(ForeignSetting(name=name, value=value) for name, value in settings),
        figures=tuple(figures),
        document=text,
    )
    return Imported(
        tool=tool,
        title=title or f"{len(bench.figures)} figures",
        files=(path,),
        tool_version=tool if version is None else f"{tool} {version}",
        started_at=started_at,
        bench=bench,
        notes=(*notes, *_of_version(tool, version, known)),
    )


def _of_version(tool: str, version: str | None, known: bool) -> Iterable[Note]:
    if known:
        return
    said = (
        f"this result does not say its version of {tool}"
        if version is None
        else f"version {version} of {tool} is not known here"
    )
    message = f"{said}: its figures are read as those of versions that are, and may mean something else"
    yield Note(code="version-unknown", message=message)
