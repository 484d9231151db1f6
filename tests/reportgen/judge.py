"""Compares what a reader found with what the facts and the layout say that it should have found.

A value that was read must be the printed one. What was not read is only excused where the reader says that it has a problem.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import pyarrow

from reportgen.expected import Found, by_view
from reportgen.facts import Facts
from reportgen.layout import Layout
from reportgen.report import expected, header

_TOLERANCE = 1e-9
Rows = Sequence[Mapping[str, Any]]


class Report(Protocol):
    """What the reader gives back."""

    def summary(self) -> str: ...
    def section_names(self) -> list[str]: ...
    def section(self, name: str) -> Any: ...
    def cells(self) -> Any: ...


@dataclass
class Verdict:
    """Values that differ from the printed ones, values that are missing, and the reader's own problems."""

    different: list[str] = field(default_factory=list[str])
    missing: list[str] = field(default_factory=list[str])
    problems: list[str] = field(default_factory=list[str])
    sections_with_losses: set[str] = field(default_factory=set[str])

    @property
    def unexcused(self) -> list[str]:
        """What is missing from sections of which the reader does not say that something is lost."""
        return [what for what in self.missing if what.split()[0] not in self.sections_with_losses]


def judge(facts: Facts, layout: Layout, report: Report) -> Verdict:
    """The verdict about one report."""
    verdict = Verdict()
    summary = json.loads(report.summary())
    verdict.problems += [f"{problem['code']}: {problem['message']}" for problem in summary["problems"]]
    verdict.sections_with_losses |= {
        str(problem["section"]) for problem in summary["problems"] if problem.get("loses")
    }
    _judge_header(header(facts, layout), summary["header"], verdict)
    names = set(report.section_names())
    for view, rows in by_view(expected(facts, layout)).items():
        read = pyarrow.record_batch(report.section(view)).to_pylist() if view in names else []
        _judge_rows(view, rows, [row for row in read if not _stands_elsewhere(view, row)], verdict)
    return verdict


def _stands_elsewhere(view: str, row: Mapping[str, Any]) -> bool:
    """Log switches are statistics of the instance as well, which a table with damaged headings may be taken for."""
    return view == "instance_activity" and row["statistic"] == "log switches (derived)"


def _judge_header(wanted: Mapping[str, Any], read: Mapping[str, Any], verdict: Verdict) -> None:
    for name, value in wanted.items():
        _judge_value(f"header {name}", value, read[name], verdict)


def _judge_rows(view: str, wanted: Sequence[Found], read: Rows, verdict: Verdict) -> None:
    place = 0
    for number, row in enumerate(wanted):
        found = _next(row, read, place)
        if found is None and not _says_anything(row):
            continue
        if found is None:
            verdict.missing.append(f"{view} row {number}: {_shown(row)}")
            continue
        for other in range(place, found):
            verdict.different.append(f"{view}: read a row that is not printed there: {_shown(read[other])}")
        for name, value in row.items():
            _judge_value(f"{view} row {number} {name}", value, read[found].get(name), verdict)
        place = found + 1
    for other in range(place, len(read)):
        verdict.different.append(f"{view}: read a row that is not printed: {_shown(read[other])}")


def _says_anything(row: Found) -> bool:
    """Whether a figure is printed; a label alone may be left out."""
    return any(isinstance(value, (int, float)) for value in row.values())


def _next(row: Found, read: Rows, place: int) -> int | None:
    """The first of the remaining rows that could be this one: nothing in it contradicts."""
    for candidate in range(place, len(read)):
        if all(_agree(value, read[candidate].get(name)) for name, value in row.items()):
            return candidate
    return None


def _agree(wanted: Any, read: Any) -> bool:
    return read is None or _equal(wanted, read)


def _judge_value(what: str, wanted: Any, read: Any, verdict: Verdict) -> None:
    if read is None and wanted is not None:
        verdict.missing.append(f"{what}: {wanted!r}")
    elif read is not None and not _equal(wanted, read):
        verdict.different.append(f"{what}: printed {wanted!r}, read {read!r}")


def _equal(wanted: Any, read: Any) -> bool:
    if isinstance(wanted, str) and isinstance(read, str):
        # Where a statement was folded, blanks at the fold cannot be told from those that were never there.
        return "".join(wanted.split()) == "".join(read.split())
    if (
        isinstance(wanted, bool)
        or isinstance(read, bool)
        or not isinstance(wanted, (int, float))
        or not isinstance(read, (int, float))
    ):
        return wanted == read
    return math.isclose(wanted, read, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)


def _shown(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in row.items() if value is not None)
