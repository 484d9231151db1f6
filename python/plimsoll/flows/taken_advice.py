"""What advice makes of each of many reports while they are taken in: packed, and whole again when all are looked at together.

Reports of other bytes and intervals than those before count; what is left out is told.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from plimsoll.base.packing import Packed, Packer
from plimsoll.facts import Note, Report
from plimsoll.facts.packed import PackedFacts
from plimsoll.facts.slim import SharedTexts
from plimsoll.flows.named import unreached_notes
from plimsoll.reports import intervals
from plimsoll.reports.kept_groups import KeptGroups
from plimsoll.reports.reader import Reading
from plimsoll.rules import HELD_MAX, Advised

_DIGEST_BYTES = 16
_OTHER_FORMAT = "another print of an interval that is there already"


@dataclass(frozen=True)
class AdvisedReport:
    """One report, in short, with what was found in it, packed; None of one that could not be read, or tells no waits."""

    reading: Reading
    advised: Packed | None


def packed(advised: Advised, packer: Packer) -> Packed:
    """As it waits; `packer` is that of its group."""
    return packer.packed(pickle.dumps(advised, pickle.HIGHEST_PROTOCOL), advised.verdict.verdict)


class AllAdvised(Sequence[Advised]):
    """What was found in each, made anew when it is asked for; of few, which are held, texts that recur are there once."""

    def __init__(self, found: Sequence[Packed]) -> None:
        self._found = found
        self._texts = SharedTexts() if len(found) <= HELD_MAX else None

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, place: int) -> Advised: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Advised]: ...

    def __getitem__(self, place: int | slice) -> Advised | Sequence[Advised]:
        if isinstance(place, slice):
            return AllAdvised(self._found[place])
        # It may come from a file that an earlier command kept.
        advised: Advised = KeptGroups.unpacked(self._found[place].whole())
        if self._texts is not None:
            for fact in (advised.verdict, *advised.findings):
                self._texts.share(fact)
        return advised


class TakenAdvice:
    """What was taken in so far."""

    def __init__(self) -> None:
        self.unread: list[Reading] = []
        self._reports: PackedFacts[Report] = PackedFacts()
        """In which something was found, or might have been."""
        self._found: list[Packed] = []
        self._rest = 0

    def take(self, one: AdvisedReport) -> None:
        """One more. What was passed over is not told."""
        if one.reading.passed_over:
            return
        if one.reading.report.status == "unreadable":
            self.unread.append(one.reading)
        elif one.advised is None:
            self._rest += 1
        if one.advised is not None:
            report = one.reading.report
            self._reports.append(report, f"{report.kind} {report.form} {report.status}")
            self._found.append(one.advised)

    def __len__(self) -> int:
        """How many reports, read or not."""
        return len(self._found) + len(self.unread) + self._rest

    def once(self, unreached: int = 0) -> tuple[AllAdvised, list[Note]]:
        """What was found in those of different bytes and intervals, and notes on all; so many files were left. Lets the rest go."""
        taken, left_out = self._each_once()
        unread = [*_unread_notes(self.unread, len(self), unreached), *unreached_notes(unreached)]
        notes = [*unread, *_partial(self._reports), *left_out]
        told = [*notes, *_overlapping(self._reports)]
        found, self._found, self._reports = self._found, [], PackedFacts()
        return AllAdvised([found[place] for place in taken]), told

    def _each_once(self) -> tuple[list[int], list[Note]]:
        """Those of different bytes and intervals, and notes on what is left out. Of an interval that is given in two formats
        HTML is taken, which cuts no names.
        """
        known = [
            (_digest(report.sha256), _rank(report), _digest(_interval_key(report)))
            for report in self._reports
        ]
        by_bytes = {known[place][0]: place for place in reversed(range(len(known)))}
        copies = [place for place, one in enumerate(known) if by_bytes[one[0]] != place]
        different = [place for place, one in enumerate(known) if by_bytes[one[0]] == place]
        by_interval: dict[bytes, int] = {}
        for place in sorted(different, key=lambda place: known[place][1]):
            by_interval.setdefault(known[place][2], place)
        taken = set(by_interval.values())
        again = [place for place in different if place not in taken]
        told = (
            *self._left("report-twice", "a copy", copies),
            *self._left(intervals.SAME, _OTHER_FORMAT, again),
        )
        return sorted(taken), list(told)

    def _left(self, code: str, what: str, some: Sequence[int]) -> Iterator[Note]:
        if some:
            place = intervals.place_of(self._reports[some[0]])
            more = f", and so are {len(some) - 1:,} more" if len(some) > 1 else ""
            yield Note(code=code, message=f"{place} is {what}{more}; each interval is counted once")


def _digest(value: object) -> bytes:
    """In place of texts and numbers of tens of thousands of reports, which are only held against each other."""
    return hashlib.blake2b(repr(value).encode(errors="surrogatepass"), digest_size=_DIGEST_BYTES).digest()


def _rank(report: Report) -> int:
    """Whole ones first, and HTML before text."""
    return 2 * (report.status != "ok") + (report.form != "html")


def _interval_key(report: Report) -> object:
    """What two reports of one interval have in common; an own one where snapshots are not named."""
    if report.db_name is None or report.begin_snap is None or report.end_snap is None:
        return report.sha256
    return (
        report.kind, report.db_name, report.db_id, report.instance, report.instance_number, report.container,
        report.begin_snap, report.end_snap, report.begin_time,
    )  # fmt: skip


def _overlapping(reports: PackedFacts[Report]) -> Iterator[Note]:
    """Seconds that two intervals share are in the sums of both."""
    beside = reports.at(intervals.beside_others(reports))
    said = [
        note for notes in intervals.flags(beside).values() for note in notes if note.code == intervals.OVERLAP
    ]
    if said:
        more = f", and {len(said) - 1:,} more overlap" if len(said) > 1 else ""
        yield Note(
            code=intervals.OVERLAP, message=f"{said[0].message}{more}: what recurs counts that time twice"
        )


def _unread_notes(unread: Sequence[Reading], total: int, unreached: int) -> Iterator[Note]:
    if len(unread) == total and not unreached:
        yield Note(code="nothing-read", message="no report was found in what was named")
    elif unread:
        first = unread[0].report
        why = f": {first.problems[0].message}" if first.problems else ""
        told = f"{len(unread):,} of {total:,} files could not be read, the first {intervals.place_of(first)}{why}"
        yield Note(code="report-unread", message=told)


def _partial(reports: Sequence[Report]) -> Iterator[Note]:
    """A verdict is no better than what was read: a wait that stands in what is missing is not there."""
    first: Report | None = None
    others = -1
    for report in reports:
        if report.status == "partial":
            first = first or report
            others += 1
    if first is not None:
        more = f", and {others:,} more were" if others else ""
        why = first.problems[-1].message if first.problems else "some of it is missing"
        told = f"{intervals.place_of(first)} was read in part{more}, and what is missing is not in the advice: {why}"
        yield Note(code="report-partial", message=told)
