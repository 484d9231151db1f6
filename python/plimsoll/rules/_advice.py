"""Advice on intervals: each by itself, then beside those of the same database."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from plimsoll.facts import Fact, Note
from plimsoll.facts.advice import (
    Advice,
    Change,
    DbTimePart,
    EvidenceCell,
    Finding,
    IntervalVerdict,
    RecurringFinding,
)
from plimsoll.facts.packed import PackedFacts
from plimsoll.rules._between import Advised, Remembered, beside_each_other, remembered
from plimsoll.rules._interval import Interval
from plimsoll.rules._judge import FindingOrder, evidence, findings_of
from plimsoll.rules._verdict import judge

F = TypeVar("F", bound=Fact)

HELD_MAX = 500
"""Intervals whose facts are held as they are: some 7 MB. Of more they are packed, and made when they are asked for."""


def advise(interval: Interval, **names: Any) -> Advised:
    """`names` are fields of the verdict: database, instance, times."""
    judged = judge(interval)
    total = None if interval.db_time is None else interval.db_time.value
    verdict = IntervalVerdict.model_validate(
        {
            **names,
            "file": interval.file,
            "system": interval.system,
            "elapsed_s": interval.elapsed_s,
            "db_time_s": total,
            "verdict": judged.answer,
            "cause": judged.cause,
            "reason": judged.reason,
            "faster_storage_helps": judged.helps,
            "what_if": judged.what_if,
            "parts": tuple(_parts(interval)),
            "evidence": evidence(interval.file, judged.cells),
        }
    )
    return _cells_once(Advised(verdict, findings_of(interval), remembered(interval)))


def _cells_once(one: Advised) -> Advised:
    """A cell that the verdict and findings stand on is there once, as there are thousands of intervals."""
    known: dict[EvidenceCell, EvidenceCell] = {}

    def shared(cells: Sequence[EvidenceCell]) -> dict[str, tuple[EvidenceCell, ...]]:
        return {"evidence": tuple(known.setdefault(cell, cell) for cell in cells)}

    verdict = one.verdict.model_copy(update=shared(one.verdict.evidence))
    findings = tuple(finding.model_copy(update=shared(finding.evidence)) for finding in one.findings)
    return Advised(verdict, findings, one.waits)


def _parts(interval: Interval) -> list[DbTimePart]:
    return [
        DbTimePart(part=part, db_time_s=seconds, share=share)
        for part, seconds in interval.parts.items()
        if (share := interval.share(seconds)) is not None
    ]


def advice_of(advised: Sequence[Advised], notes: Sequence[Note] = ()) -> Advice:
    """All of them together. Of many, each is made when it is asked for: what is held of them all does not grow with their facts."""
    taken = _Taken(is_many=len(advised) > HELD_MAX)
    # What is remembered of an interval for its neighbours is let go with it.
    for one, change in beside_each_other(advised):
        taken.take(one, change)
    return taken.advice(notes)


class _Taken:
    """What was found so far. Facts of many intervals are packed."""

    def __init__(self, is_many: bool) -> None:
        self._verdicts: _Facts[IntervalVerdict] = _Facts(is_many)
        self._findings: _Facts[Finding] = _Facts(is_many)
        self._changes: _Facts[Change] = _Facts(is_many)
        self._order = FindingOrder()
        self._recurring = _Recurring(is_many)

    def take(self, one: Advised, change: Change | None) -> None:
        self._verdicts.append(one.verdict, one.verdict.verdict)
        for finding in one.findings:
            self._findings.append(finding, finding.rule)
            self._order.append(finding)
        if change is not None:
            self._changes.append(change)
        self._recurring.take(one)

    def advice(self, notes: Sequence[Note]) -> Advice:
        made = Advice(verdicts=(), findings=(), notes=tuple(notes))
        return made.model_copy(
            update={
                "verdicts": self._verdicts.at(range(len(self._verdicts))),
                "findings": self._findings.at(self._order.places()),
                "changes": self._changes.at(range(len(self._changes))),
                "recurring": self._recurring.found(),
            }
        )


class _Facts(Generic[F]):
    """Facts as they are, or packed."""

    def __init__(self, is_packed: bool) -> None:
        self._packed: PackedFacts[F] | None = PackedFacts() if is_packed else None
        self._whole: list[F] = []

    def append(self, fact: F, kind: str = "") -> None:
        if self._packed is None:
            self._whole.append(fact)
        else:
            self._packed.append(fact, kind)

    def __len__(self) -> int:
        return len(self._whole if self._packed is None else self._packed)

    def at(self, places: Iterable[int]) -> Sequence[F]:
        """Those at these places, in that order."""
        if self._packed is None:
            return tuple(self._whole[place] for place in places)
        return self._packed.at(places)


@dataclass
class _Several:
    """A finding that a database had in some intervals."""

    worst: tuple[str, str]
    """Its title, and the interval where it cost most."""
    worst_s: float
    times_s: array[float] = field(default_factory=lambda: array("d"))


class _Recurring:
    """What two or more intervals of a database have. They come database by database, and only those of one are looked at."""

    def __init__(self, is_many: bool) -> None:
        self._found: _Facts[RecurringFinding] = _Facts(is_many)
        self._times_s: list[float] = []
        self._database: tuple[str, int] | None = None
        self._several: dict[tuple[str | None, int | None, str], _Several] = {}

    def take(self, one: Advised) -> None:
        verdict = one.verdict
        if (database := (verdict.db_name or "", verdict.db_id or 0)) != self._database:
            self._end()
            self._database = database
        for finding in filter(_costs, one.findings):
            key = (verdict.db_name, verdict.db_id, finding.rule)
            spent_s, worst = finding.db_time_s or 0.0, (finding.title, finding.file)
            several = self._several.setdefault(key, _Several(worst, spent_s))
            if spent_s > several.worst_s:
                several.worst, several.worst_s = worst, spent_s
            several.times_s.append(spent_s)

    def found(self) -> Sequence[RecurringFinding]:
        """Most DB time first."""
        self._end()
        return self._found.at(sorted(range(len(self._found)), key=lambda place: -self._times_s[place]))

    def _end(self) -> None:
        for (name, number, rule), several in self._several.items():
            if len(several.times_s) > 1:
                one = _recurs(name, number, rule, several)
                self._found.append(one)
                self._times_s.append(one.db_time_s)
        self._several = {}


def _costs(finding: Finding) -> bool:
    """Whether it is about time that was lost; what is about the interval itself is not."""
    return finding.severity == "finding" and finding.db_time_s is not None and finding.family != "interval"


def _recurs(db_name: str | None, db_id: int | None, rule: str, several: _Several) -> RecurringFinding:
    title, file = several.worst
    return RecurringFinding(
        db_name=db_name,
        db_id=db_id,
        rule=rule,
        title=title,
        interval_count=len(several.times_s),
        db_time_s=sum(several.times_s),
        worst_file=file,
        worst_s=several.worst_s,
    )


def without_waits(file: str, kind: str, **names: Any) -> Advised:
    """On a report that was read and says nothing of waits, such as one of ASH."""
    verdict = IntervalVerdict.model_validate(
        {
            **names,
            "file": file,
            "verdict": "cannot tell",
            "reason": f"a report of kind {kind} prints no waits of an interval",
            "faster_storage_helps": "unknown",
        }
    )
    return Advised(verdict, (), Remembered())
