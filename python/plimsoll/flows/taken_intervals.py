"""The intervals of many reports while they are taken in, in little room: copies and what could not be read stand apart."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.facts import Note, Report, ReportedInterval
from plimsoll.facts.slim import SlimFacts
from plimsoll.flows.named import unreached_notes
from plimsoll.reports import intervals
from plimsoll.reports.reader import Reading


@dataclass(frozen=True)
class ReadReport:
    """One report, in short, with its intervals; none of one that could not be read."""

    reading: Reading
    intervals: tuple[ReportedInterval, ...]


class TakenIntervals:
    """What was taken in so far."""

    def __init__(self) -> None:
        self.unread: list[Reading] = []
        self._reports: SlimFacts[Report] = SlimFacts()
        self._intervals: SlimFacts[ReportedInterval] = SlimFacts()
        self._report_of = array("L")
        """For each interval the place of its report."""
        self._seen: dict[str, str] = {}
        self._twice = 0
        self._first_twice = ""

    def take(self, read: ReadReport) -> None:
        """One more. What was passed over is not told."""
        report = read.reading.report
        if read.reading.passed_over:
            return
        if not read.intervals:
            self.unread.append(read.reading)
        elif report.sha256 is not None and report.sha256 in self._seen:
            self._twice += 1
            first = f"{intervals.place_of(report)} is the same as {self._seen[report.sha256]}"
            self._first_twice = self._first_twice or first
        else:
            self._seen[report.sha256 or ""] = intervals.place_of(report)
            for one in read.intervals:
                self._report_of.append(len(self._reports))
                self._intervals.append(one)
            self._reports.append(report)

    def __len__(self) -> int:
        """How many reports, read or not; copies among them, as a copy of what could not be read is among those too."""
        return len(self._reports) + len(self.unread) + self._twice

    def flagged(self) -> SlimFacts[ReportedInterval]:
        """The intervals, with the doubts that show only where they lie beside each other. Called once."""
        found = intervals.flags(self._reports)
        for place, report in enumerate(self._report_of):
            if report in found:
                self._intervals.replace(place, _with(self._intervals[place], found[report]))
        return self._intervals

    def remarks(self, unreached: int) -> list[Note]:
        """About the reading as a whole, of which so many files were left: what they hold is unknown."""
        notes: list[Note] = []
        if not self._reports and not unreached:
            notes.append(Note(code="nothing-read", message="no report was found in what was named"))
        elif self.unread:
            first = self.unread[0].report
            why = f": {first.problems[0].message}" if first.problems else ""
            told = f"{len(self.unread):,} of {len(self):,} files could not be read, the first {intervals.place_of(first)}{why}"
            notes.append(Note(code="report-unread", message=told))
        notes += unreached_notes(unreached)
        if self._twice:
            more = f", and {self._twice - 1:,} more are copies" if self._twice > 1 else ""
            told = f"{self._first_twice}{more}; each is counted once"
            notes.append(Note(code="report-twice", message=told))
        return notes


def flagged(taken: Sequence[ReadReport]) -> list[ReportedInterval]:
    """The intervals of a few reports, with the same doubts."""
    found = intervals.flags([read.reading.report for read in taken])
    return [_with(one, found.get(place, ())) for place, read in enumerate(taken) for one in read.intervals]


def _with(one: ReportedInterval, flags: tuple[Note, ...]) -> ReportedInterval:
    return one.model_copy(update={"flags": (*one.flags, *flags)}) if flags else one
