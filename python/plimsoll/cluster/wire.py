"""What client and agents tell each other: JSON documents, one a line, each with the word that says what it is.

The agent's first line is its greeting; what a login script prints before it is passed over. Nothing that comes is believed
further than its form: a line has an end within bounds, and what cannot be read ends the talk with its reason.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

from plimsoll.base.printable import printable

PROTOCOL = 5
"""Changes with any word of the talk; both sides must have the same."""
GREETING = "plimsoll_agent"
LINE_BYTES_MAX = 64 << 20
"""The longest line is a whole measurement with its distributions."""
NOISE_LINES_MAX = 1000
"""What may come before the greeting."""

Message = Mapping[str, Any]


class TalkError(Exception):
    """What came is not of this talk; the words say why."""


def said_wrongly(error: Exception) -> str:
    """Why a document was not understood, in words for people."""
    if isinstance(error, KeyError):
        return printable(f"'{error.args[0] if error.args else '?'}' is missing")
    # Of what does not fit into a fact the checker tells several lines.
    return printable((str(error).splitlines() or [type(error).__name__])[0].rstrip(".:"))


def encoded(word: str, **members: Any) -> bytes:
    """One line."""
    return json.dumps({"say": word, **members}, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def greeting(version: str, **members: Any) -> bytes:
    """The agent's first line."""
    return encoded("hello", **{GREETING: PROTOCOL}, plimsoll=version, **members)


def messages(file: IO[bytes]) -> Iterator[Message]:
    """Each line as a document, until the other side ends. Raises TalkError."""
    while line := file.readline(LINE_BYTES_MAX):
        if not line.endswith(b"\n"):
            # The other side was cut off in the middle of a line, or it never ends one.
            if len(line) >= LINE_BYTES_MAX:
                raise TalkError("a line without an end")
            return
        yield _document(line)


def after_greeting(
    file: IO[bytes], passed_over: Callable[[bytes], None] = lambda line: None
) -> Iterator[Message]:
    """The same from the greeting on; `passed_over` is told what comes before. Raises TalkError where none comes."""
    for _ in range(NOISE_LINES_MAX):
        line = file.readline(LINE_BYTES_MAX)
        if not line:
            return
        if GREETING.encode() in line:
            yield _document(line[line.index(b"{") :] if b"{" in line else line)
            yield from messages(file)
            return
        passed_over(line)
    raise TalkError(f"{NOISE_LINES_MAX:,} lines and no greeting of an agent")


def _document(line: bytes) -> Message:
    try:
        document = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise TalkError("a line that is no JSON") from error
    if not isinstance(document, dict) or not isinstance(document.get("say"), str):
        raise TalkError("a document that says nothing")
    return document
