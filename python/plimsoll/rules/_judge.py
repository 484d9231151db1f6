"""What is found in one interval, and what it amounts to."""

from __future__ import annotations

import importlib
import sys
from array import array
from collections.abc import Sequence
from functools import cache
from typing import Any

from plimsoll.base import registry
from plimsoll.facts import PrintedCell
from plimsoll.facts.advice import EvidenceCell, Finding
from plimsoll.rules._disproof import against, beyond
from plimsoll.rules._interval import Interval
from plimsoll.rules._rule import Found, Rule

IDLE = "database_idle"


@cache
def rules() -> dict[str, Rule]:
    """Every rule by its name."""
    room: Any = sys.modules[__package__ or ""]
    return {name: registry.load(room, name, "RULE") for name in registry.names(room)}


def page_of(name: str) -> str:
    """The manual page of a rule: the text at the head of its file."""
    return importlib.import_module(f"{__package__}.{name.replace('-', '_')}").__doc__ or ""


def findings_of(interval: Interval) -> tuple[Finding, ...]:
    """What rules find, most DB time first and hints last; of an idle database that alone, of spoilt counts nothing."""
    if interval.spoilt is not None:
        return ()
    idle = rules().get(IDLE.replace("_", "-"))
    if idle is not None and (found := idle.find(interval)) is not None:
        return (finding_of(interval, IDLE.replace("_", "-"), idle, found),)
    made = [
        finding_of(interval, name, rule, found)
        for name, rule in rules().items()
        if _applies(rule, interval) and (found := rule.find(interval)) is not None and found.cells
    ]
    return ordered(made)


def ordered(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Findings before hints, most DB time first."""
    order = FindingOrder()
    for one in findings:
        order.append(one)
    return tuple(findings[place] for place in order.places())


class FindingOrder:
    """Findings before hints, most DB time first; of each finding it keeps little, as there may be hundreds of thousands."""

    def __init__(self) -> None:
        self._hints = bytearray()
        self._times_s = array("d")
        self._rules: list[str] = []

    def append(self, finding: Finding) -> None:
        """One more."""
        self._hints.append(finding.severity == "hint")
        self._times_s.append(-(finding.db_time_s or 0.0))
        self._rules.append(sys.intern(finding.rule))

    def places(self) -> list[int]:
        """The places of all, in order: by rule, then by time, then by severity, and what is equal stays where it is."""
        found = sorted(range(len(self._rules)), key=self._rules.__getitem__)
        found.sort(key=self._times_s.__getitem__)
        found.sort(key=self._hints.__getitem__)
        return found


def _applies(rule: Rule, interval: Interval) -> bool:
    is_there = not rule.only_on or interval.platform in rule.only_on
    return is_there and interval.system in rule.systems and interval.platform not in rule.not_on


def finding_of(interval: Interval, name: str, rule: Rule, found: Found) -> Finding:
    """What other cells speak against is a hint, whatever its rule says."""
    said = (*found.against, *against(interval, rule.family, found.events), *beyond(interval, found.db_time_s))
    is_hint = found.is_hint or bool(said) or rule.severity == "hint"
    return Finding(
        file=interval.file,
        rule=name,
        title=rule.title,
        family=rule.family,
        severity="hint" if is_hint else "finding",
        db_time_s=found.db_time_s,
        db_time_share=interval.share(found.db_time_s),
        storage_saves_s=found.storage_saves_s,
        events=found.events,
        reason=found.reason,
        advice=found.advice or rule.advice,
        disproof=rule.disproof,
        against=tuple(dict.fromkeys(said)),
        evidence=evidence(interval.file, found.cells),
    )


def evidence(file: str, cells: Sequence[PrintedCell]) -> tuple[EvidenceCell, ...]:
    """Cells with the file that they stand in, each once."""
    return tuple(
        EvidenceCell(
            file=file,
            section=cell.section,
            row=cell.row,
            heading=cell.column,
            line=cell.line,
            value=cell.value,
        )
        for cell in dict.fromkeys(cells)
    )
