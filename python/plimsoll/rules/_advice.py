"""Advice on intervals: each by itself, then beside those of the same database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from plimsoll.facts import Note
from plimsoll.facts.advice import Advice, DbTimePart, Finding, IntervalVerdict, RecurringFinding
from plimsoll.rules._between import Advised, Remembered, changes_of, remembered, with_neighbours
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
    return Advised(verdict, findings_of(interval), remembered(interval))


def _parts(interval: Interval) -> list[DbTimePart]:
    return [
        DbTimePart(part=part, db_time_s=seconds, share=share)
        for part, seconds in interval.parts.items()
        if (share := interval.share(seconds)) is not None
    ]


def advice_of(advised: Sequence[Advised], notes: Sequence[Note] = ()) -> Advice:
    """All of them together."""
    beside = with_neighbours(advised)
    return Advice(
        verdicts=tuple(one.verdict for one in beside),
        findings=ordered([finding for one in beside for finding in one.findings]),
        changes=tuple(changes_of(beside)),
        recurring=_recurring(beside),
        notes=tuple(notes),
    )


def _recurring(advised: Sequence[Advised]) -> tuple[RecurringFinding, ...]:
    """Of databases with several intervals, what two or more of them have; most DB time first."""
    found: dict[tuple[str | None, int | None, str], list[Finding]] = defaultdict(list)
    for one in advised:
        for finding in one.findings:
            if _costs(finding):
                found[one.verdict.db_name, one.verdict.db_id, finding.rule].append(finding)
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
