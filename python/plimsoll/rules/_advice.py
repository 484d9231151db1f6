"""Advice on intervals: each by itself, then beside those of the same database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from plimsoll.facts import Note
from plimsoll.facts.advice import (
    Advice,
    Change,
    DbTimePart,
    EvidenceCell,
    Finding,
    IntervalVerdict,
    RecurringFinding,
)
from plimsoll.rules._between import Advised, Remembered, beside_each_other, remembered
from plimsoll.rules._interval import Interval
from plimsoll.rules._judge import evidence, findings_of, ordered
from plimsoll.rules._verdict import judge


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
    """All of them together."""
    verdicts: list[IntervalVerdict] = []
    findings: list[tuple[Finding, ...]] = []
    changes: list[Change] = []
    # What is remembered of an interval for its neighbours is let go with it.
    for one, change in beside_each_other(advised):
        verdicts.append(one.verdict)
        findings.append(one.findings)
        changes += [] if change is None else [change]
    return Advice(
        verdicts=tuple(verdicts),
        findings=ordered([finding for several in findings for finding in several]),
        changes=tuple(changes),
        recurring=_recurring(verdicts, findings),
        notes=tuple(notes),
    )


def _recurring(
    verdicts: Sequence[IntervalVerdict], findings: Sequence[Sequence[Finding]]
) -> tuple[RecurringFinding, ...]:
    """Of databases with several intervals, what two or more of them have; most DB time first."""
    found: dict[tuple[str | None, int | None, str], list[Finding]] = defaultdict(list)
    for verdict, own in zip(verdicts, findings, strict=True):
        for finding in own:
            if _costs(finding):
                found[verdict.db_name, verdict.db_id, finding.rule].append(finding)
    made = [
        _recurs(name, number, several) for (name, number, _), several in found.items() if len(several) > 1
    ]
    return tuple(sorted(made, key=lambda one: -one.db_time_s))


def _costs(finding: Finding) -> bool:
    """Whether it is about time that was lost; what is about the interval itself is not."""
    return finding.severity == "finding" and finding.db_time_s is not None and finding.family != "interval"


def _recurs(db_name: str | None, db_id: int | None, findings: Sequence[Finding]) -> RecurringFinding:
    worst = max(findings, key=lambda one: one.db_time_s or 0.0)
    return RecurringFinding(
        db_name=db_name,
        db_id=db_id,
        rule=worst.rule,
        title=worst.title,
        interval_count=len(findings),
        db_time_s=sum(one.db_time_s or 0.0 for one in findings),
        worst_file=worst.file,
        worst_s=worst.db_time_s or 0.0,
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
