"""The SQL of the 22 queries, one file each in `proof/sql/<dialect>/tpch`, with the specification's validation parameters.

The wording is ours; queries and parameters are facts of the TPC Benchmark H specification, revision 3, clause 2.4.
"""

from __future__ import annotations

from decimal import Decimal

from plimsoll.proof.statements import file_text

WORKLOAD = "tpch"

_FRACTION = ":fraction"
_FRACTION_AT_1 = Decimal("0.0001")
"""Query 11's share of the stock's value is this at scale 1, divided by the scale (clause 2.4.11.3)."""


def query_text(dialect: str, query: int, scale: str) -> str:
    """The SQL of one query."""
    fraction = _FRACTION_AT_1 / Decimal(scale)
    return file_text(dialect, WORKLOAD, f"q{query:02}").replace(_FRACTION, f"{fraction:f}")


def statements(dialect: str, name: str) -> list[str]:
    """The statements of a file, one by one; each ends with a semicolon at the end of a line."""
    parts = (part.strip() for part in file_text(dialect, WORKLOAD, name).split(";\n"))
    return [part for part in parts if part]
