"""The summaries of all reports that were read, small enough for thousands: lists of sections are packed until they are shown."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from plimsoll.base.packing import Packed
from plimsoll.facts import Note, Report, ReportProblem
from plimsoll.facts.slim import SlimFacts
from plimsoll.reports.intervals import ORDER_FIELDS, order, place_of
from plimsoll.reports.limits import READ_PROBLEMS_SHOWN_MAX
from plimsoll.reports.reader import Reading, unpack_sections

_PROBLEMS = TypeAdapter(tuple[ReportProblem, ...])


@dataclass(frozen=True, slots=True)
class _Problems:
    """All problems of a report that has many."""

    packed: bytes
    count_all: int


class ReportCollection:
    """Reports in the order of `sort`; `reports` lack sections, and all but their first problems."""

    def __init__(self) -> None:
        self._reports: SlimFacts[Report] = SlimFacts()
        self._sections: list[Packed | None] = []
        """None where nobody wanted it when the report was read."""
        self._problems: list[_Problems | None] = []
        """None where the report has all of them."""
        self._by_content: dict[str, str] = {}

    @property
    def reports(self) -> Sequence[Report]:
        """What there is, each in short; made anew when it is asked for."""
        return self._reports

    def add(self, reading: Reading) -> bool:
        """Takes a report in; False when one of the same content is here already, which it then names."""
        report = reading.report
        first = self._by_content.get(report.sha256 or "")
        if first is None and report.sha256 is not None:
            self._by_content[report.sha256] = place_of(report)
        few = {"problems": report.problems[:READ_PROBLEMS_SHOWN_MAX], "duplicate_of": first}
        # A copy takes time, and most need none.
        has_few = len(report.problems) <= READ_PROBLEMS_SHOWN_MAX
        self._reports.append(report if first is None and has_few else report.model_copy(update=few))
        self._problems.append(None if has_few else _packed(report.problems))
        self._sections.append(reading.sections)
        return first is None

    def sort(self) -> None:
        """By database, instance and interval."""
        before = self._reports.sort(order, *ORDER_FIELDS)
        self._sections = [self._sections[place] for place in before]
        self._problems = [self._problems[place] for place in before]

    def flag(self, found: Mapping[int, tuple[Note, ...]]) -> None:
        """Puts doubts to the reports at those positions."""
        for place, flags in found.items():
            self._reports.replace(place, self._reports[place].model_copy(update={"flags": flags}))

    def problem_count(self, place: int) -> int:
        """How many problems the report at a position has."""
        held = self._problems[place]
        return len(self._reports[place].problems) if held is None else held.count_all

    def whole(self, place: int) -> Report:
        """The report at a position with everything, where lists of sections were wanted."""
        report, held = self._reports[place], self._problems[place]
        problems = report.problems if held is None else _PROBLEMS.validate_json(zlib.decompress(held.packed))
        parts = {"sections": unpack_sections(_wanted(self._sections[place])), "problems": problems}
        return report.model_copy(update=parts)

    def documents(self) -> Iterator[str]:
        """Each report whole, as JSON, made of texts that are JSON already; lists of sections were wanted."""
        for report, packed, held in zip(self._reports, self._sections, self._problems, strict=True):
            short = report.model_dump_json(exclude={"sections", "problems"}).removesuffix("}")
            problems = _PROBLEMS.dump_json(report.problems) if held is None else zlib.decompress(held.packed)
            yield f'{short},"sections":{_wanted(packed).whole().decode()},"problems":{problems.decode()}}}'


def _wanted(sections: Packed | None) -> Packed:
    assert sections is not None, "lists of sections were not wanted when the reports were read"
    return sections


def _packed(problems: tuple[ReportProblem, ...]) -> _Problems:
    return _Problems(zlib.compress(_PROBLEMS.dump_json(problems)), len(problems))
