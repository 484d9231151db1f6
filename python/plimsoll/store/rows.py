"""A run as rows of the tables that it is for other tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from plimsoll.facts import Fact, Run
from plimsoll.store.tables import Branch, Column, Path, Table, table_of

Row = list[Any]
Rows = dict[Table, list[Row]]
"""Rows of one run by their table, with values in the order of `Table.all_columns`; JSON as text."""


def to_rows(run: Run) -> Rows:
    """All rows of the run."""
    rows: Rows = {}
    _add(rows, run.id, run, table_of(Run), ("", None, None))
    return rows


_Link = tuple[str, int | None, str | None]
"""Path, position and key of a fact."""


def _add(rows: Rows, run_id: str, fact: Fact, table: Table, link: _Link) -> None:
    rows.setdefault(table, []).append([run_id, *link, *cells(fact)])
    for branch in table.branches:
        for child, of_child in _children(fact, branch, link[0]):
            _add(rows, run_id, child, table_of(branch.fact), of_child)


def cells(fact: Fact) -> Row:
    """The values of a fact's own columns."""
    return [_cell(fact, one) for one in table_of(type(fact)).columns]


def _children(fact: Fact, branch: Branch, path: str) -> Iterator[tuple[Fact, _Link]]:
    """As the views of the store name them."""
    held, here = _at(fact, branch.path), ".".join((path, *branch.path) if path else branch.path)
    if held is None:
        return
    if branch.holds == "one":
        yield held, (here, None, None)
    elif branch.holds == "many":
        for position, child in enumerate(held):
            yield child, (f"{here}[{position}]", position, None)
    else:
        for key, child in held.items():
            yield child, (f"{here}.{key}", None, key)


def _cell(fact: Fact, column: Column) -> Any:
    value = _at(fact, column.path)
    if column.kind != "json" or value is None:
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _at(fact: Any, path: Path) -> Any:
    """The value at the end of the path; None when something on the way is None."""
    for step in path:
        if fact is None:
            return None
        if isinstance(fact, dict):
            fact = fact.get(step)
        else:
            fact = fact[step] if isinstance(step, int) else getattr(fact, step)
    return fact
