"""The SQL of the 22 queries, one file each in `proof/sql/<dialect>/tpch`, with the specification's validation parameters.

The wording is ours; questions and parameters are facts of the TPC Benchmark H specification, revision 3, clause 2.4.
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from importlib import resources

from plimsoll.base.errors import UsageError

_FRACTION = ":fraction"
_FRACTION_AT_1 = Decimal("0.0001")
"""Query 11's share of the stock's value is this at scale 1, divided by the scale (clause 2.4.11.3)."""


def query_text(dialect: str, query: int, scale: str) -> str:
    """The SQL of one query."""
    fraction = _FRACTION_AT_1 / Decimal(scale)
    return file_text(dialect, f"q{query:02}.sql").replace(_FRACTION, f"{fraction:f}")


@cache
def file_text(dialect: str, name: str) -> str:
    """A file of that dialect. Raises UsageError `tpch-dialect` when there is none for it."""
    folder = resources.files("plimsoll.proof").joinpath("sql", dialect, "tpch")
    if not folder.is_dir():
        message = f"cannot run tpc-h queries on {dialect}: their sql is not written for it"
        raise UsageError(
            "tpch-dialect", message, "Use --database embedded or postgresql://user@host:5432/name."
        )
    return folder.joinpath(name).read_text(encoding="utf-8")


def statements(dialect: str, name: str) -> list[str]:
    """The statements of a file, one by one; each ends with a semicolon at the end of a line."""
    parts = (part.strip() for part in file_text(dialect, name).split(";\n"))
    return [part for part in parts if part]
