"""One interval printed twice, as text and as HTML: what both say is the same, but for rounding."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow

import report_corpus

_TWINS = ("awr-text/awr_11.2.0.4_rac_orcl1.txt", "awr-html/awr_11.2.0.4_rac_orcl1.html")
_PLACES = ("table_index", "line")
_DIGITS_MAX = 12
_VALUES_MIN = 5000
Row = dict[str, Any]


def test_text_and_html_give_equal_values_wherever_both_print_them() -> None:
    text, html = (report_corpus.read(report_corpus.needs(name)) for name in _TWINS)
    assert _head(text[1]["header"]) == _head(html[1]["header"])
    views = [name for name in text[0].section_names() if name in html[0].section_names()]
    compared, differing, alone = 0, list[str](), list[str]()
    for view in views:
        theirs = list(_rows(html[0], view))
        for row in _rows(text[0], view):
            twin = _twin(row, theirs)
            if twin is None:
                alone.append(f"{view}: {row}")
                continue
            both = [(name, value, twin[name]) for name, value in _numbers(row) if twin[name] is not None]
            compared += len(both)
            differing += [f"{view} {_names(row)} {both}" for both in both if not _equal(*both[1:])]
    assert not differing, (len(differing), differing[:12])
    assert compared > _VALUES_MIN, (compared, len(alone), alone[:12])


def _head(header: Row) -> Row:
    """The two were not printed at one time: the instance's start differs by three minutes on their own clocks."""
    return {name: value for name, value in header.items() if name != "startup_time"}


def _rows(report: Any, view: str) -> Iterator[Row]:
    for row in pyarrow.record_batch(report.section(view)).to_pylist():
        yield {name: value for name, value in row.items() if name not in _PLACES}


def _names(row: Row) -> list[str]:
    return [value for value in row.values() if isinstance(value, str)]


def _numbers(row: Row) -> list[tuple[str, float]]:
    return [(name, value) for name, value in row.items() if isinstance(value, float)]


def _twin(row: Row, others: list[Row]) -> Row | None:
    """The first row with the same names, taken out: text cuts names at the width of their column, and leaves some blank."""
    for at, other in enumerate(others):
        if all(_same_name(value, other[name]) for name, value in row.items() if isinstance(value, str)):
            return others.pop(at)
    return None


def _same_name(text: str, html: Any) -> bool:
    return isinstance(html, str) and "".join(html.split()).startswith("".join(text.split()))


def _equal(text: float, html: float) -> bool:
    """To half of the last digit that the rounder one of both prints, in decimal and in binary units."""
    return abs(text - html) <= 0.500001 * max(map(_last_digit, (text, html)))


def _last_digit(value: float) -> float:
    """The size of the smallest digit, of K, M and G of 1000 and of 1024, that the value can have been printed with."""
    return max(_decimal_digit(value / unit) * unit for unit in (1, 1024, 1024**2, 1024**3))


def _decimal_digit(value: float) -> float:
    digits: Sequence[int] = range(_DIGITS_MAX, -_DIGITS_MAX, -1)
    whole = (10.0**power for power in digits)
    return next(
        (unit for unit in whole if math.isclose(value, round(value / unit) * unit, rel_tol=1e-12)), 0.0
    )
