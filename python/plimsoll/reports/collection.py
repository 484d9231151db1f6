"""The summaries of all reports that were read, small enough for thousands: lists of sections are packed until they are shown."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from plimsoll.base.packing import Packed
from plimsoll.facts import Note, Report, ReportProblem
from plimsoll.facts.slim import Row, SharedTexts, SlimFacts, place_in_row, row_of
from plimsoll.reports.intervals import ORDER_FIELDS, order
from plimsoll.reports.limits import READ_PROBLEMS_SHOWN_MAX
from plimsoll.reports.reader import Reading, unpack_sections

_PROBLEMS = TypeAdapter(tuple[ReportProblem, ...])
_FILE, _MEMBER, _SHA256, _DUPLICATE_OF = (
    place_in_row(Report, field) for field in ("file", "member", "sha256", "duplicate_of")
)


@dataclass(frozen=True, slots=True)
class _Problems:
    """All problems of a report that has many."""

    packed: bytes
    count_all: int


@dataclass(frozen=True)
class Shorts:
    """What a collection holds of reports that were read together, made where they were read: little crosses to another process.

    The tuples have one of each; None in place of a report that was passed over.
    """

    reports: tuple[Row | None, ...]
    sections: tuple[Packed | None, ...]
    problems: tuple[_Problems | None, ...]

    @property
    def passed_over(self) -> int:
        """How many were."""
        return self.reports.count(None)


class Shortening:
    """Makes them, of one reading after another."""

    def __init__(self) -> None:
        self._texts = SharedTexts()
        self._reports: list[Row | None] = []
        self._sections: list[Packed | None] = []
        self._problems: list[_Problems | None] = []

    def add(self, reading: Reading) -> None:
        """One more."""
        report, has_few = reading.report, len(reading.report.problems) <= READ_PROBLEMS_SHOWN_MAX
        if not has_few:
            report = report.model_copy(update={"problems": report.problems[:READ_PROBLEMS_SHOWN_MAX]})
        self._reports.append(None if reading.passed_over else row_of(report, self._texts))
        self._sections.append(reading.sections)
        self._problems.append(None if has_few else _packed(reading.report.problems))

    def made(self) -> Shorts:
        """All of them."""
        return Shorts(tuple(self._reports), tuple(self._sections), tuple(self._problems))


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

    def take(self, shorts: Shorts) -> list[int]:
        """Takes reports in; returns the numbers of those whose tables nobody wants: what was passed over, and what is of the same
        content as one that is here already, which it then names.
        """
        left_out: list[int] = []
        for number, found in enumerate(shorts.reports):
            if found is None:
                left_out.append(number)
                continue
            row, sha256 = found, found[_SHA256]
            first = self._by_content.get(sha256)
            if first is not None:
                left_out.append(number)
                row = (*found[:_DUPLICATE_OF], first, *found[_DUPLICATE_OF + 1 :])
            elif sha256 is not None:
                member = row[_MEMBER]
                self._by_content[sha256] = row[_FILE] if member is None else f"{row[_FILE]}/{member}"
            self._reports.take(row)
            self._sections.append(shorts.sections[number])
            self._problems.append(shorts.problems[number])
        return left_out

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
