"""Every single value of the results under the name that it has in JSON and in SQL, whether or not another section shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from plimsoll.charts import Subject
from plimsoll.facts import Fact
from plimsoll.pages._say import counted
from plimsoll.pages._section import Section
from plimsoll.results import Block, Folded


def applies(subject: Subject) -> bool:
    """Whether there is a value of a kind that is known here."""
    return any(_lines(subject))


def blocks(subject: Subject) -> list[Block]:
    """The values of each kind, folded away."""
    return [
        Folded(f"{name}: {counted(len(lines), 'value')}", "\n".join(lines))
        for name, value in subject.run.results.items()
        if (lines := list(_values(name, value)))
    ]


def _lines(subject: Subject) -> Iterator[str]:
    for name, value in subject.run.results.items():
        yield from _values(name, value)


def _values(place: str, value: Any) -> Iterator[str]:
    """`place = value` for each single value below; of lists and of values by name, how many."""
    if isinstance(value, Fact):
        for name in type(value).model_fields:
            yield from _values(f"{place}.{name}", getattr(value, name))
    elif isinstance(value, Mapping) or (isinstance(value, Sequence) and not isinstance(value, str | bytes)):
        if "." in place:
            yield f"{place}: {len(value)}"
    elif not isinstance(value, bytes):
        yield f"{place} = {'unknown' if value is None else value}"


SECTION = Section(
    "Every value",
    "All single values of the results, by the names that they have in JSON and SQL.",
    65,
    applies,
    blocks,
)
