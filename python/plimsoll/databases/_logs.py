"""The log that a server writes: where it stands at a moment, and what it says from there on.

A log is text of others. Entries are cut, made fit to be shown, and lose what may be a password; the statements that a server quotes
below an entry are left out altogether.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base import limits
from plimsoll.base.errors import PlimsollError
from plimsoll.base.printable import printable
from plimsoll.base.redact import redact
from plimsoll.facts import LogLine, ServerLog
from plimsoll.ports import files

_WORST_FIRST = ("panic", "fatal", "error", "warning")
_CUT = f"only the first {limits.SERVER_LOG_BYTES_MAX >> 20} MB of it were read, so there may be more"


@dataclass(frozen=True)
class LogPlace:
    """How far a log had come. `at` is a length in bytes, or an instant as the server writes it."""

    source: str = ""
    at: int | str = 0
    unknown_because: str = ""
    identity: str = ""
    """Of a file of this machine: which one it was."""


@dataclass(frozen=True)
class LogText:
    """What a log holds beyond a place."""

    text: str
    cut: bool = False
    turned: bool = False
    """The server went on in another file meanwhile, or this one was cut; what is no longer in them is not here."""


def no_log(why: str) -> LogPlace:
    """A log that cannot be read, and why."""
    return LogPlace(unknown_because=why)


def unread(why: str) -> ServerLog:
    """Nothing is known of the log, and why."""
    return ServerLog(source="", reason=f"the server's log is unknown: {why}")


def refused(error: PlimsollError) -> str:
    """What the server said when it was asked for its log."""
    return error.message


def file_place(path: Path) -> LogPlace:
    """How long a log is that lies on this machine."""
    try:
        length, identity = files.length_and_identity(path)
        return LogPlace(str(path), length, identity=identity)
    except OSError as error:
        return no_log(f"could not read {path}: {(error.strerror or str(error)).lower()}")


def file_beyond(place: LogPlace) -> LogText:
    """What such a log has gained. Raises OSError."""
    assert isinstance(place.at, int), "files have a length"
    return made_text(
        *files.read_beyond(place.source, place.at, place.identity, limits.SERVER_LOG_BYTES_MAX + 1)
    )


def made_text(found: bytes, turned: bool = False) -> LogText:
    """Bytes of a log as text, no more than are looked at."""
    cut = len(found) > limits.SERVER_LOG_BYTES_MAX
    return LogText(found[: limits.SERVER_LOG_BYTES_MAX].decode(errors="replace"), cut, turned)


def entry(severity: str, message: str, at: str = "", grave: bool = False) -> LogLine:
    """One entry as it may be kept and shown."""
    shown = printable(redact(message.strip(), location=True))[: limits.SERVER_LOG_ENTRY_LENGTH_MAX]
    return LogLine(severity=severity, at=printable(at.strip())[:64], message=shown, grave=grave)  # type: ignore[arg-type]


def server_log(source: str, found: Iterable[LogLine], text: LogText | None = None) -> ServerLog:
    """All entries counted, the worst and first of them kept."""
    entries = list(found)
    said = [f"read from {printable(source)}"]
    said += [_CUT] if text is not None and text.cut else []
    said += (
        ["the log went on in another file or was cut meanwhile, so entries may be missing"]
        if text and text.turned
        else []
    )
    return ServerLog(
        source=printable(source), panics=_count(entries, "panic"), fatals=_count(entries, "fatal"),
        errors=_count(entries, "error"), warnings=_count(entries, "warning"), graves=sum(one.grave for one in entries),
        entries=tuple(_kept(entries)), reason="; ".join(said),
    )  # fmt: skip


def _count(entries: Sequence[LogLine], severity: str) -> int:
    return sum(one.severity == severity for one in entries)


def _kept(entries: Sequence[LogLine]) -> Sequence[LogLine]:
    worst = sorted(entries, key=lambda one: (not one.grave, _WORST_FIRST.index(one.severity)))
    return worst[: limits.SERVER_LOG_ENTRIES_MAX]
