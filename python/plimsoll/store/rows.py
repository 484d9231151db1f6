"""A run as rows, and rows as a run again: exact both ways, whatever the facts come to hold."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from plimsoll.base.jsontext import parse_json
from plimsoll.facts import Fact, Run
from plimsoll.store.summary import summary_values
from plimsoll.store.tables import Branch, Path, Table, table_of

Row = list[Any]
Rows = dict[type[Fact], list[Row]]
"""Rows of one run by the fact that they are."""

RUN_ROW_NO = 0
"""The number of the run's own row, to which its parts point with `parent_no`."""


def to_rows(run: Run) -> Rows:
    """Rows with values in the order of `Table.all_columns`; JSON as text, instants as they are."""
    table = table_of(Run)
    extra = summary_values(run)
    rows: Rows = {Run: [[*_values(run, table), *(extra[column.name] for column in table.summary)]]}
    _add_branches(rows, run.id, run, table, RUN_ROW_NO)
    return rows


def _add_branches(rows: Rows, run_id: str, fact: Fact, table: Table, number: int) -> int:
    """Adds what hangs below a row; returns the highest row number used so far."""
    last = number
    for branch in table.branches:
        for position, key, child in _children(_at(fact, branch.path), branch):
            target = table_of(branch.fact)
            mine = last + 1
            links = [run_id, mine, number, branch.field, position, key][: len(target.links)]
            rows.setdefault(branch.fact, []).append([*links, *_values(child, target)])
            last = _add_branches(rows, run_id, child, target, mine)
    return last


def _children(held: Any, branch: Branch) -> Iterator[tuple[int | None, str | None, Fact]]:
    if held is None:
        return
    if branch.holds == "one":
        yield None, None, held
    elif branch.holds == "many":
        for position, child in enumerate(held):
            yield position, None, child
    else:
        for position, (key, child) in enumerate(held.items()):
            yield position, key, child


def _values(fact: Fact, table: Table) -> Row:
    return [
        _as_json(_at(fact, column.path)) if column.kind == "json" else _at(fact, column.path)
        for column in table.columns
    ]


def _as_json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _at(fact: Any, path: Path) -> Any:
    """The value at the end of the path; None when something on the way is None."""
    for step in path:
        if fact is None:
            return None
        fact = fact[step] if isinstance(step, int) else getattr(fact, step)
    return fact


def from_rows(rows: Mapping[type[Fact], Iterable[Sequence[Any]]]) -> Run:
    """The run again, from its rows in the order of `row_no`."""
    below: dict[tuple[int, str], list[Sequence[Any]]] = defaultdict(list)
    for fact, of_table in rows.items():
        for row in of_table if fact is not Run else ():
            below[row[2], row[3]].append(row)
    (run_row,) = rows[Run]
    return Run.model_validate(_tree(table_of(Run), run_row, RUN_ROW_NO, below))


_Below = Mapping[tuple[int, str], Sequence[Sequence[Any]]]
"""Rows by the number of the row that they belong to, and the field of it."""


def _tree(table: Table, row: Sequence[Any], number: int, below: _Below) -> dict[str, Any]:
    """The fact of one row as nested dictionaries, ready for validation."""
    values = row[len(table.links) : len(table.links) + len(table.columns)]
    tree: dict[Any, Any] = {}
    for column, value in zip(table.columns, values, strict=True):
        if value is not None or column.accepts_none:
            _place(
                tree,
                column.path,
                parse_json(value) if column.kind == "json" and isinstance(value, str) else value,
            )
    for branch in table.branches:
        _place(tree, branch.path, _held(branch, below.get((number, branch.field), ()), below))
    for path in table.pairs:
        pair = _at_key(tree, path)
        _place(tree, path, None if pair[0] is None else [pair[0], pair[1]])
    for path, marker in table.optionals:
        if values[marker] is None:
            _place(tree, path, None)
    return tree


def _held(branch: Branch, found: Sequence[Sequence[Any]], below: _Below) -> Any:
    table = table_of(branch.fact)
    facts = [_tree(table, row, row[1], below) for row in found]
    if branch.holds == "one":
        return facts[0] if facts else None
    if branch.holds == "many":
        return facts
    return {row[5]: fact for row, fact in zip(found, facts, strict=True)}


def _place(tree: dict[Any, Any], path: Path, value: Any) -> None:
    for step in path[:-1]:
        tree = tree.setdefault(step, {})
    tree[path[-1]] = value


def _at_key(tree: Any, path: Path) -> Any:
    for step in path:
        tree = tree[step]
    return tree
