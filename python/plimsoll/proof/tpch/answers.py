"""Whether a query's answer is the known one, and if it is not, what differs.

Known answers lie in `answers.json` by scale and query. They were computed by other means than a database
(`scripts/tpch_answers.py`). A whole answer would be long, so it is kept as digests: of all rows, and of each column by itself,
with the sum of a column of numbers and a few rows, so that a difference can be named.

Rows are compared without their order, since ties may come in any. Numbers are compared at four decimals, the texts of fixed
width without their padding. That is stricter than clause 2.1.3.5 of the TPC-H specification, which grants sums 100 dollars and
averages one percent; sums and quotients of decimal numbers need no such grace.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, localcontext
from functools import cache
from importlib import resources
from typing import Any, Literal

Verdict = Literal["right", "wrong", "unknown"]
Cells = tuple[str | None, ...]
"""A row in its canonical form."""

DECIMALS = 4
_DIGITS_MAX = 60
_DIGEST_CHARS = 16
_FILE = "answers.json"


@dataclass(frozen=True)
class Column:
    """One column of a known answer. `sum` is None unless it holds numbers."""

    name: str
    digest: str
    sum: str | None


@dataclass(frozen=True)
class Answer:
    """A known answer: how many rows, digests of them and of each column, and the first few of the sorted rows."""

    rows: int
    digest: str
    columns: tuple[Column, ...]
    sample: tuple[Cells, ...]


@cache
def known_answers() -> dict[str, dict[int, Answer]]:
    """Known answers by scale, as `TpchRequest.scale_text` writes it, and query."""
    text = resources.files("plimsoll.proof.tpch").joinpath(_FILE).read_text(encoding="utf-8")
    scales: dict[str, dict[str, Any]] = json.loads(text)["answers"]
    return {
        scale: {int(query): _answer(entry) for query, entry in queries.items()}
        for scale, queries in scales.items()
    }


def _answer(entry: dict[str, Any]) -> Answer:
    return Answer(
        rows=entry["rows"],
        digest=entry["digest"],
        columns=tuple(Column(*column) for column in entry["columns"]),
        sample=tuple(tuple(row) for row in entry["sample"]),
    )


def check(scale: str, query: int, rows: Sequence[Sequence[Any]]) -> tuple[Verdict, str]:
    """The verdict on a query's rows, and the reason for it unless they are right."""
    known = known_answers().get(scale, {}).get(query)
    if known is None:
        return "unknown", f"no answer is known for scale {scale}"
    found = canonical(rows)
    if known.rows == len(found) and known.digest == digest_of_rows(found):
        return "right", ""
    return "wrong", _difference(known, found)


def canonical(rows: Iterable[Sequence[Any]]) -> list[Cells]:
    """Rows in their canonical form, sorted."""
    return sorted((tuple(cell_text(value) for value in row) for row in rows), key=_sort_key)


def _sort_key(row: Cells) -> list[tuple[bool, str]]:
    return [(cell is not None, cell or "") for cell in row]


def cell_text(value: Any) -> str | None:
    """One value: numbers at four decimals without trailing zeros, days as ISO 8601, texts without trailing blanks."""
    if value is None:
        return None
    if isinstance(value, int | float | Decimal):
        return _number_text(Decimal(repr(value)) if isinstance(value, float) else Decimal(value))
    if isinstance(value, date):
        return value.isoformat()
    return str(value).rstrip(" ")


def _number_text(number: Decimal) -> str:
    if not number.is_finite():
        return str(number)
    with localcontext() as context:
        context.prec = _DIGITS_MAX
        rounded = number.quantize(Decimal(1).scaleb(-DECIMALS), ROUND_HALF_UP)
    text = f"{rounded:f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def digest_of_rows(rows: Iterable[Cells]) -> str:
    """A digest of canonical, sorted rows."""
    return _digest(json.dumps(row) for row in rows)


def digest_of_column(cells: Iterable[str | None]) -> str:
    """A digest of one column's cells, whatever their order."""
    return _digest(sorted(json.dumps(cell) for cell in cells))


def _digest(lines: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:_DIGEST_CHARS]


def sum_of_column(cells: Iterable[str | None]) -> str | None:
    """The sum of a column of numbers; None when there is none in it, or anything else."""
    present = [cell for cell in cells if cell is not None]
    try:
        with localcontext() as context:
            context.prec = _DIGITS_MAX
            return _number_text(sum((Decimal(cell) for cell in present), Decimal(0))) if present else None
    except ArithmeticError:
        return None


def _difference(known: Answer, found: list[Cells]) -> str:
    """What differs, as one line."""
    if found and len(found[0]) != len(known.columns):
        return f"gave {len(found[0])} columns instead of {len(known.columns)}"
    reasons = [f"gave {len(found)} rows instead of {known.rows}"] if len(found) != known.rows else []
    reasons += _columns_that_differ(known, found) if len(found) == known.rows else []
    missing = sorted(set(known.sample) - set(found), key=_sort_key)
    if missing:
        reasons.append(f"for example the row {_shown(missing[0])} is missing")
    return "; ".join(reasons)


def _columns_that_differ(known: Answer, found: list[Cells]) -> list[str]:
    reasons = []
    for index, column in enumerate(known.columns):
        cells = [row[index] for row in found]
        if digest_of_column(cells) != column.digest:
            total = sum_of_column(cells) if column.sum is not None else None
            changed = total is not None and total != column.sum
            how = f" adds up to {total} instead of {column.sum}" if changed else " differs"
            reasons.append(f"column {column.name}{how}")
    return reasons or ["each column holds the right values, but the rows pair them differently"]


def _shown(row: Cells) -> str:
    return " | ".join("null" if cell is None else cell for cell in row)
