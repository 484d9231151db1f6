"""What `plimsoll read --json` says, in pieces: with thousands of reports it would fill the memory as a whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from plimsoll.flows.read_outputs import unpacked

if TYPE_CHECKING:
    from plimsoll.flows.read import ReadOutcome


def document(outcome: ReadOutcome) -> Iterator[str]:
    """`reports` first; then how it ended, what was passed over, files, runs, and the rows of the tables that were asked for."""
    yield '{"reports": ['
    for place, text in enumerate(outcome.collection.documents()):
        yield f"{', ' if place else ''}{text}"
    rest = {
        "interrupted": outcome.interrupted,
        "unreached": outcome.unreached,
        "passed_over": outcome.passed_over,
        "files": [str(path) for path in outcome.written],
        "runs": list(outcome.runs),
    }
    yield f'], {json.dumps(rest, ensure_ascii=False)[1:-1]}, "rows": {{'
    for place, name in enumerate(sorted(outcome.rows)):
        yield f"{', ' if place else ''}{json.dumps(name)}: ["
        yield from _rows(outcome, name)
        yield "]"
    yield "}}"


def _rows(outcome: ReadOutcome, name: str) -> Iterator[str]:
    begun = False
    for rows in unpacked(outcome.rows[name]):
        for row in rows:
            yield f"{', ' if begun else ''}{json.dumps(row, ensure_ascii=False, allow_nan=False)}"
            begun = True
