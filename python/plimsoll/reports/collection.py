"""The summaries of all reports that were read, small enough for thousands: lists of sections are packed until they are shown."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from plimsoll.facts import Note, Report, ReportProblem
from plimsoll.reports.intervals import order, place_of
from plimsoll.reports.limits import READ_PROBLEMS_SHOWN_MAX
from plimsoll.reports.reader import Reading, unpack_sections

_PROBLEMS = TypeAdapter(tuple[ReportProblem, ...])
_PACKED_BYTES_MIN = 512
"""Less is kept as it is: to begin to pack takes longer than that room is worth, where each of ten thousand files has a problem."""


@dataclass(frozen=True)
class _Packed:
    sections: bytes
    problems: bytes
    problem_count: int


class ReportCollection:
    """Reports in the order of `sort`; `reports` lack sections, and all but their first problems."""

    def __init__(self) -> None:
        self._reports: list[Report] = []
        self._packed: list[_Packed] = []
        self._by_content: dict[str, str] = {}

    @property
    def reports(self) -> Sequence[Report]:
        """What there is, each in short."""
        return self._reports

    def add(self, reading: Reading) -> bool:
        """Takes a report in; False when one of the same content is here already, which it then names."""
        report = reading.report
        first = self._by_content.get(report.sha256 or "")
        if first is None and report.sha256 is not None:
            self._by_content[report.sha256] = place_of(report)
        few = {"problems": report.problems[:READ_PROBLEMS_SHOWN_MAX], "duplicate_of": first}
        # A copy takes time and memory, and most need none.
        is_short = first is None and len(report.problems) <= READ_PROBLEMS_SHOWN_MAX
        self._reports.append(report if is_short else report.model_copy(update=few))
        problems = _pack(_PROBLEMS.dump_json(report.problems))
        self._packed.append(_Packed(reading.sections, problems, len(report.problems)))
        return first is None

    def sort(self) -> None:
        """By database, instance and interval."""
        places = sorted(range(len(self.reports)), key=lambda place: order(self.reports[place]))
        self._reports = [self._reports[place] for place in places]
        self._packed = [self._packed[place] for place in places]

    def flag(self, found: Mapping[int, tuple[Note, ...]]) -> None:
        """Puts doubts to the reports at those positions."""
        self._reports = [
            report.model_copy(update={"flags": found[place]}) if place in found else report
            for place, report in enumerate(self._reports)
        ]

    def problem_count(self, place: int) -> int:
        """How many problems the report at a position has."""
        return self._packed[place].problem_count

    def whole(self, place: int) -> Report:
        """The report at a position with everything."""
        packed = self._packed[place]
        problems = _PROBLEMS.validate_json(_unpack(packed.problems))
        parts = {"sections": unpack_sections(packed.sections), "problems": problems}
        return self.reports[place].model_copy(update=parts)

    def documents(self) -> Iterator[str]:
        """Each report whole, as JSON, made of texts that are JSON already."""
        for report, packed in zip(self._reports, self._packed, strict=True):
            short = report.model_dump_json(exclude={"sections", "problems"}).removesuffix("}")
            sections, problems = zlib.decompress(packed.sections).decode(), _unpack(packed.problems).decode()
            yield f'{short},"sections":{sections},"problems":{problems}}}'


def _pack(document: bytes) -> bytes:
    return document if len(document) < _PACKED_BYTES_MIN else zlib.compress(document)


def _unpack(kept: bytes) -> bytes:
    """A list in JSON, which begins with a bracket, as nothing packed does."""
    return kept if kept.startswith(b"[") else zlib.decompress(kept)
