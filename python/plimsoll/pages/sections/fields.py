"""Every single value of the results, whether or not another section shows it: in words, and under its name in JSON and in SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from plimsoll.charts import Subject, Table
from plimsoll.facts import Fact
from plimsoll.pages._fields import in_words
from plimsoll.pages._say import counted, or_unknown
from plimsoll.pages._section import Section
from plimsoll.results import Block, Grid

_COLUMNS = ("value of", "value", "name in JSON and SQL")


def applies(subject: Subject) -> bool:
    """Whether there is a value of a kind that is known here."""
    return any(rows for _, rows in _kinds(subject))


def blocks(subject: Subject) -> list[Block]:
    """The values of each kind, folded away."""
    return [
        Grid(f"{in_words(name)}: {counted(len(rows), 'value')}", _table(rows), folded=True)
        for name, rows in _kinds(subject)
        if rows
    ]


def _kinds(subject: Subject) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    for name, value in subject.run.results.items():
        yield name, list(_values(name, value))


def _table(rows: list[tuple[str, str]]) -> Table:
    shown = tuple((in_words(place.partition(".")[2]), value, place) for place, value in rows)
    return Table(_COLUMNS, shown, (False, True, False))


def _values(place: str, value: Any) -> Iterator[tuple[str, str]]:
    """The name and the text of each single value below; of lists and of values by name, how many there are."""
    if isinstance(value, Fact):
        for name in type(value).model_fields:
            yield from _values(f"{place}.{name}", getattr(value, name))
    elif isinstance(value, Mapping) or (isinstance(value, Sequence) and not isinstance(value, str | bytes)):
        if "." in place:
            yield place, f"{len(value):,} of them"
    elif not isinstance(value, bytes):
        yield place, or_unknown(value)


SECTION = Section(
    "Every value",
    "All single values of the results, in words and by the names that they have in JSON and SQL.",
    65,
    applies,
    blocks,
)
