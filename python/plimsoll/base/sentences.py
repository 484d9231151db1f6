"""The begin of sentences that a program puts together, and words for several things together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

_NAME = re.compile(r"\S*?(?:\d|_|/|\.\w)")
"""A first word that is no word of the language: `p99`, `db3:`, `io_uring`, `/data`, `db.example`."""
_FIRST = re.compile(r"[^\s,;:]*")
_NAMED_MAX = 3
_given_names: ContextVar[frozenset[str]] = ContextVar("given_names", default=frozenset())


def capital(words: str) -> str:
    """The same with a capital at the begin, unless that is the name of something, which stays as it is."""
    first = _FIRST.match(words)
    if _NAME.match(words) or (first is not None and first[0] in _given_names.get()):
        return words
    return f"{words[:1].upper()}{words[1:]}"


@contextmanager
def names_as_given(names: Iterable[str]) -> Iterator[None]:
    """Sentences that are put together in the block leave these names as they are, also at their begin."""
    token = _given_names.set(_given_names.get() | frozenset(names))
    try:
        yield
    finally:
        _given_names.reset(token)


def all_of(number: int, noun: str = "host") -> str:
    """`the host`, `both hosts`, `all 3 hosts`."""
    return {1: f"the {noun}", 2: f"both {noun}s"}.get(number, f"all {number:,} {noun}s")


def the_other(number: int, noun: str = "host") -> str:
    """`the other host`, `the other 3 hosts`."""
    return f"the other {noun}" if number == 1 else f"the other {number:,} {noun}s"


def listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join((*([", ".join(names[:-1])] if len(names) > 1 else []), *names[-1:]))


def those_left(names: Sequence[str]) -> str:
    """Hosts that were not lost, beside others that were: their names where these are few, else how many they are."""
    return listed(names) if len(names) <= _NAMED_MAX else f"the {len(names):,} hosts that were not lost"
