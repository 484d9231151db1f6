"""Tables as data, for `--format csv` and `--format ndjson`: whole, unrounded, with the names of the facts' fields.

The tables of runs are those that the store has views of and exports (`plimsoll.store.tables`), so that a column has one name
everywhere.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from plimsoll.base.errors import UsageError
from plimsoll.cli.output import print_data_line, talk

if TYPE_CHECKING:
    from plimsoll.facts import Fact, Run

_RUNS = "runs"
_NAMES_TOLD_MAX = 30


@dataclass(frozen=True)
class DataTable:
    """Rows under the names of their columns. `json_columns` hold JSON as text, which a CSV keeps."""

    name: str
    columns: tuple[str, ...]
    rows: Iterable[Sequence[Any]] = ()
    json_columns: frozenset[str] = frozenset()
    has_rows: bool = True


def of_runs(runs: Sequence[Run]) -> list[DataTable]:
    """The tables that runs are, the one that their kind of result is shown by first; those without rows last."""
    from plimsoll.store.columns import run_columns
    from plimsoll.store.rows import Rows, to_rows
    from plimsoll.store.tables import tables

    rows: Rows = {}
    for run in runs:
        for table, found in to_rows(run).items():
            rows.setdefault(table, []).extend(found)
    row_each = [[column.of(run) for column in run_columns()] for run in runs]
    summary = DataTable(_RUNS, tuple(column.name for column in run_columns()), row_each)
    made = [
        DataTable(
            one.name,
            tuple(column.name for column in one.all_columns),
            rows.get(one, ()),
            frozenset(column.name for column in one.columns if column.kind == "json"),
            one in rows,
        )
        for one in tables()
    ]
    wanted = [table for name in _first_names(runs) for table in made if table.name == name]
    first = [table for table in wanted if table.has_rows][:1] or wanted[-1:]
    others = [summary, *(one for one in made if one not in first)]
    return [*first, *sorted(others, key=lambda one: not one.has_rows)]


def _first_names(runs: Sequence[Run]) -> list[str]:
    """Names of the tables that the main result of the first run is shown by."""
    from plimsoll.results import kinds, main_kind
    from plimsoll.store.tables import table_name

    kind = kinds().get(main_kind(runs[0]) or "") if runs else None
    return [] if kind is None else [table_name(fact) for fact in kind.rows]


def names_of_runs() -> tuple[str, ...]:
    """Names of all tables that a run may be."""
    from plimsoll.store.tables import tables

    return (_RUNS, *(one.name for one in tables()))


def of_facts(name: str, fact: type[Fact], facts: Iterable[Fact]) -> DataTable:
    """Facts of one class as a table."""
    from plimsoll.store.rows import cells
    from plimsoll.store.tables import table_of

    columns = table_of(fact).columns
    as_json = frozenset(column.name for column in columns if column.kind == "json")
    return DataTable(name, tuple(column.name for column in columns), [cells(one) for one in facts], as_json)


def of_dicts(name: str, rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> DataTable:
    """JSON-ready rows as a table; without columns those of the rows, in the order in which they are met."""
    names = tuple(columns) or tuple(dict.fromkeys(name for row in rows for name in row))
    return DataTable(name, names, [[row.get(name) for name in names] for row in rows])


def chosen(tables: Sequence[DataTable], name: str | None) -> DataTable:
    """The table of that name, else the first. Raises UsageError `table-unknown`."""
    if name is None:
        return tables[0]
    found = next((one for one in tables if one.name == name), None)
    if found is None:
        raise unknown_table(name, [one.name for one in tables if one.has_rows])
    if not found.has_rows:
        talk(
            f"note: {name} has no rows here; these tables have: {', '.join(one.name for one in tables if one.has_rows)}"
        )
    return found


def unknown_table(name: str, known: Sequence[str]) -> UsageError:
    """The error for a name that no table has; of many names the nearest are told."""
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=5) if len(known) > _NAMES_TOLD_MAX else []
    words = f"Perhaps: {', '.join(near)}" if near else f"Known: {', '.join(known)}"
    return UsageError("table-unknown", f"there is no table '{name}' in this result", f"{words}.")


def print_table(table: DataTable, form: str) -> None:
    """Prints it, as CSV under its heading or as one JSON object for each row."""
    if form == "csv":
        print_data_line(_csv_line(table.columns))
    for row in table.rows:
        print_data_line(_csv_line(map(_text, row)) if form == "csv" else _json_line(table, row))


def _csv_line(cells: Iterable[Any]) -> str:
    import csv

    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def _json_line(table: DataTable, row: Sequence[Any]) -> str:
    return json.dumps(
        {
            name: json.loads(value) if name in table.json_columns and value is not None else _plain(value)
            for name, value in zip(table.columns, row, strict=True)
        },
        ensure_ascii=False,
        allow_nan=False,
    )


def _plain(value: Any) -> Any:
    """As `--format json` has it: instants ISO 8601 in UTC, distributions their SHA-256, what is no number unknown."""
    match value:
        case datetime():
            return (value.astimezone(UTC) if value.tzinfo else value).isoformat()
        case bytes():
            return hashlib.sha256(value).hexdigest()
        case float() if not math.isfinite(value):
            return None
        case _:
            return value


def _text(value: Any) -> Any:
    """Nothing between two commas is unknown."""
    value = _plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | tuple | dict) else value
