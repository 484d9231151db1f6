"""Computes the known answers of `plimsoll prove tpch` from generated data, and writes proof/tpch/answers.json.

    python scripts/tpch_answers.py 0.01=FOLDER 0.1=FOLDER 1=FOLDER

Each folder holds the .tbl files of that scale as tpchgen-cli writes them. No database takes part: see tpch_frames.py.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any

import tpch_frames

from plimsoll.ports import files
from plimsoll.proof.tpch import answers

TARGET = Path(__file__).parent.parent / "python" / "plimsoll" / "proof" / "tpch" / "answers.json"
SAMPLE_ROWS = 10


def main(arguments: Sequence[str]) -> int:
    """Writes the answers of all scales that are named as `SCALE=FOLDER`."""
    folders = dict(argument.split("=", 1) for argument in arguments)
    made = {scale: answers_of(scale, Path(folder)) for scale, folder in folders.items()}
    text = _laid_out({"how": "scripts/tpch_answers.py: polars on data of tpchgen-cli", "answers": made})
    files.write_text_atomically(TARGET, text, "{")
    return 0


def answers_of(scale: str, folder: Path) -> dict[str, Any]:
    """The answers to all queries at one scale."""
    tables = tpch_frames.Tables(folder, Fraction(scale))
    return {
        str(query): answer_of(question(tables), columns)
        for query, (question, columns) in tpch_frames.QUERIES.items()
    }


def answer_of(rows: Sequence[Sequence[Any]], columns: Sequence[str]) -> dict[str, Any]:
    """An answer in the form in which it is kept."""
    found = answers.canonical([[_decimal(value) for value in row] for row in rows])
    cells = {name: [row[index] for row in found] for index, name in enumerate(columns)}
    return {
        "rows": len(found),
        "digest": answers.digest_of_rows(found),
        "columns": [
            [name, answers.digest_of_column(column), answers.sum_of_column(column)]
            for name, column in cells.items()
        ],
        "sample": found[:SAMPLE_ROWS],
    }


def _decimal(value: Any) -> Any:
    """A fraction as a number with far more decimals than are compared."""
    if not isinstance(value, Fraction):
        return value
    with localcontext() as context:
        context.prec = 60
        return Decimal(value.numerator) / Decimal(value.denominator)


def _laid_out(whole: dict[str, Any]) -> str:
    """JSON with one query on a line, so that a change shows where it is."""
    scales = []
    for scale, queries in whole["answers"].items():
        lines = ",\n".join(f'  "{query}": {json.dumps(entry)}' for query, entry in queries.items())
        scales.append(f'"{scale}": {{\n{lines}\n }}')
    return '{{"how": {},\n"answers": {{\n {}\n}}}}\n'.format(json.dumps(whole["how"]), ",\n ".join(scales))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
