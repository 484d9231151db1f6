"""Words are found where Python finds them, and memory of reports stays, or goes, as it is told."""

from __future__ import annotations

import resource

import pytest

from plimsoll.native.allocator import keeping_freed
from plimsoll.native.reports import find_words, read_report
from reportgen.invent import Scale, invent
from reportgen.layout import Layout
from reportgen.report import render

DATA = b"--:V|x :V|plim:V|plimsoll|:V|" * 3


@pytest.mark.parametrize("words", [b":V|", b":V|plimsoll|", b"-", b"not there", b""])
def test_words_are_found_where_python_finds_them(words: bytes) -> None:
    for begin in range(len(DATA) + 1):
        found = DATA.find(words, begin)
        assert find_words(DATA, words, begin) == (None if found < 0 else found)
    assert find_words(DATA, words, len(DATA) + 1) is None


def test_memory_that_is_freed_is_used_again_where_it_is_kept() -> None:
    report = render(invent(7, Scale(rows=400)), Layout("19"))
    with keeping_freed(0):
        given_back = _faults(report)
    with keeping_freed(60_000):
        _faults(report)
        assert _faults(report) * 2 < given_back


def _faults(report: bytes) -> int:
    """Pages that the system gave out while a report was read some times."""
    before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
    for _ in range(5):
        read_report(report)
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before
