"""The words that say nothing of whoever a report is of: Oracle's own, those of its reports, and units.

`words.txt` has one spelling of each: what stands there in small letters is also known with a capital, anything else as it stands.
`german.txt` has those in which ADDM says what it found where the session was a German one.
The list is of single words: those of titles, headings, events, statistics, latches, parameters, functions and file types.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_PREFIX_MIN = 3


_WAIT_CLASSES = frozenset(
    (
        "administrative", "application", "cluster", "commit", "concurrency", "configuration", "idle", "network", "other",
        "scheduler", "system i/o", "user i/o", "background",
    )
)  # fmt: skip
"""And the one other word that notes have in quotes."""


@cache
def listed(name: str) -> frozenset[str]:
    """The words of a list that lies here."""
    text = resources.files("plimsoll.reports.redaction").joinpath(name).read_text(encoding="utf-8")
    return frozenset(text.split())


@cache
def _words() -> frozenset[str]:
    return listed("words.txt") | listed("german.txt")


@cache
def _own_names() -> frozenset[str]:
    """Names that every database has, and what stands in a column of names without being one."""
    return frozenset(word.lower() for word in listed("own_names.txt"))


@cache
def _beginnings() -> frozenset[str]:
    return frozenset(word[:length] for word in _words() for length in range(_PREFIX_MIN, len(word)))


def is_known(word: str) -> bool:
    """Whether the word may stay where it is not a name. Single letters say nothing."""
    return len(word) == 1 or _is_in(word, _words())


def begins_known(word: str) -> bool:
    """Whether it may be a known word that a narrow column has cut off."""
    return _is_in(word, _beginnings())


def is_own_name(word: str) -> bool:
    """Whether it is a name of Oracle's own, which every database has."""
    return word.lower() in _own_names()


def is_wait_class(text: str) -> bool:
    """Whether it is the name of a class of waits, which stands in quotes like somebody's name."""
    return text.lower() in _WAIT_CLASSES


def _is_in(word: str, words: frozenset[str]) -> bool:
    return word in words or (word[:1].isupper() and word[1:].islower() and word.lower() in words)


PLATFORM = re.compile(
    r"(?:Linux|AIX|Solaris|HP-UX|Microsoft Windows|Microsoft_Windows|Apple Mac OS)[\w .()/-]*?(?:64|32)-?[Bb]it\)?"
)
"""What a host runs."""
