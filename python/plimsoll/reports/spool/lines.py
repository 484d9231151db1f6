"""Facts of a spool, each on its line, whatever SQL*Plus has printed around and within them.

A fact begins with a colon, its letter and a bar, and ends with a bar and a full stop. So prompts, echoed statements, page breaks
and messages are told from facts, and a fact that was wrapped is put together again: SQL*Plus wraps at one width, and cuts spaces at
the end of a line, which are put back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plimsoll.facts import ReportProblem
from plimsoll.native.reports import find_words

MARK = b":V|plimsoll-collect|"
"""By which a spool is known, at the beginning of a line."""
DAMAGED = "collector-line-damaged"
_END = "|."
_BAR = "\\7c"
_BEFORE = re.compile(r"(?:SQL>|\d{1,3}[ \t]{2}|[ \t])*(?=:[A-Za-z]\|)")
"""Prompts, that stand before what a statement prints where the script came in through standard input."""
_BEGIN = re.compile(r":[A-Za-z]\|")
_RULER = re.compile(r"-[- ]+\Z")
_REFUSED = re.compile(r"(?:ORA|SP2|PLS|DPY|DPI)-\d{4,5}\b")
"""Numbers of errors of the database, of SQL*Plus, and over a connection of the driver."""
_IN_WORDS_MAX = 200
WRAPPED_LINES_MAX = 64
"""Lines of one fact: none is longer than some 600 characters, and SQL*Plus wraps at ten at least."""


@dataclass(frozen=True)
class SpoolFact:
    """A letter and its values. `line` is where it begins."""

    letter: str
    values: tuple[str, ...]
    line: int


def decoded(data: bytes) -> tuple[str, str]:
    """The text, and how its bytes stood for characters: UTF-8, UTF-16 with its mark, else Windows-1252."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace"), "utf-16"
    try:
        return data.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace"), "windows-1252"


def is_spool(data: bytes) -> bool:
    """Whether a file is such a spool."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return any(_is_mark(line) for line in decoded(data)[0].split("\n"))
    at = find_words(data, MARK, 0)
    while at is not None:
        begin, end = data.rfind(b"\n", 0, at) + 1, at + len(MARK)
        if _is_mark(data[begin:end].decode("latin-1")):
            return True
        at = find_words(data, MARK, end)
    return False


def _is_mark(line: str) -> bool:
    return _bare(line.removeprefix("\ufeff").removeprefix("ï»¿")).startswith(MARK.decode())


def facts_of(text: str) -> Iterator[SpoolFact | ReportProblem]:
    """Facts and what is wrong, in the order of lines."""
    lines = [_bare(line) for line in text.split("\n")]
    width = max((len(line) for line in lines if _BEGIN.match(line) and not line.endswith(_END)), default=0)
    at = 0
    while at < len(lines):
        line = lines[at]
        if not _BEGIN.match(line):
            if _REFUSED.match(line):
                yield _refusal(line, at + 1)
            at += 1
            continue
        after, whole = _whole(lines, at, width)
        if whole is None:
            yield _damaged(at + 1, "its end, |., is missing")
        else:
            letter, *values = whole.removesuffix(_END).removeprefix(":").split("|")
            yield SpoolFact(letter, tuple(value.strip().replace(_BAR, "|") for value in values), at + 1)
        at = after


def _bare(line: str) -> str:
    """Without prompts, form feeds, and what stands at its end."""
    line = line.replace("\f", "").replace("\0", "").rstrip()
    found = _BEFORE.match(line)
    return line if found is None else line[found.end() :]


def _whole(lines: Sequence[str], at: int, width: int) -> tuple[int, str | None]:
    """Where the next fact may begin, and all of this one; None where its end does not come.

    The dashes of a page that begins within it stand below a heading, which is no part of it either.
    """
    parts = [lines[at]]
    after = at + 1
    while not "".join(parts[-2:]).endswith(_END):
        part = lines[after] if after < min(len(lines), at + WRAPPED_LINES_MAX) else None
        if part is None or _BEGIN.match(part) or _REFUSED.match(part):
            return after, None
        after += 1
        if _RULER.match(part):
            parts = parts[: max(1, len(parts) - 1)]
        elif part:
            parts.append(part)
    whole = "".join(part.ljust(width) for part in parts[:-1]) + parts[-1]
    return after, whole


def _refusal(line: str, number: int) -> ReportProblem:
    message = f"the database refused a statement: {line[:_IN_WORDS_MAX]}"
    return ReportProblem(code="collector-refused", line=number, message=message)


def _damaged(line: int, why: str) -> ReportProblem:
    return ReportProblem(code=DAMAGED, line=line, message=f"this line cannot be read: {why}")
