"""How findings stand against causes that are known: of each family, how often it is named, and how often rightly.

Thresholds are chosen by `scripts/advice_thresholds.py` on reports of one set of seeds, and kept in a file. The reports that judge
them have seeds that are drawn from a hash of that file, so that nobody can have looked at one before the thresholds were fixed.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from advice_cases import FAMILIES, FIRST, Case, drawn
from advice_reports import interval
from plimsoll.rules import findings_of, rules

COUNT = 12
"""Reports of each cause."""
PRECISION_MIN, RECALL_MIN = 0.9, 0.8
FROZEN = Path(__file__).parent / "golden" / "advice_thresholds.json"
"""The thresholds in force when reports were last drawn to judge them."""
SHARES = ("_SHARE_MIN", "SHARE_MIN")
"""What a rule calls the share of DB time from which on it finds something."""
_SEEDS_FROM, _SEEDS = 1_000_000, 10**9


def in_force() -> dict[str, float]:
    """The share of DB time from which on each rule that makes findings does so."""
    found: dict[str, float] = {}
    for name, rule in rules().items():
        known = vars(importlib.import_module(f"plimsoll.rules.{name.replace('-', '_')}"))
        share = next((known[one] for one in SHARES if one in known), None)
        if rule.severity == "finding" and "oracle" in rule.systems and share is not None:
            found[name] = share
    return found


def judging_seed() -> int:
    """The first seed of the reports that judge: nobody knows it before the thresholds are fixed."""
    digest = hashlib.sha256(FROZEN.read_bytes()).hexdigest()
    return _SEEDS_FROM + int(digest, 16) % _SEEDS


def frozen() -> dict[str, float]:
    """The thresholds as they were fixed."""
    return json.loads(FROZEN.read_text(encoding="utf-8"))


@dataclass
class Score:
    """Of one family; `missed` and `wrong` are the reports in which it was not named, or named without being true."""

    right: int = 0
    missed: list[Case] = field(default_factory=list[Case])
    wrong: list[Case] = field(default_factory=list[Case])

    def count(self, told: str, case: Case) -> None:
        """One report more, in which it was named rightly, missed, or named wrongly."""
        if told == "right":
            self.right += 1
        else:
            (self.missed if told == "missed" else self.wrong).append(case)

    @property
    def precision(self) -> float | None:
        """Of the reports in which it was named; None where it never was."""
        return self.right / named if (named := self.right + len(self.wrong)) else None

    @property
    def recall(self) -> float | None:
        """Of the reports of which it is true."""
        return self.right / true if (true := self.right + len(self.missed)) else None

    @property
    def passes(self) -> bool:
        """Whether findings of the family are shown as such."""
        return (self.precision or 0.0) >= PRECISION_MIN and (self.recall or 0.0) >= RECALL_MIN


def scores(cases: Iterable[Case]) -> dict[str, Score]:
    """By family."""
    found = {family: Score() for family in FAMILIES}
    for case in cases:
        for family, told in _told(case):
            found[family].count(told, case)
    return found


def choosing(count: int = COUNT) -> Iterator[Case]:
    """Reports by which thresholds may be chosen."""
    return drawn(count, FIRST)


def judging(count: int = COUNT) -> Iterator[Case]:
    """Reports that judge them."""
    return drawn(count, judging_seed())


def _told(case: Case) -> Iterator[tuple[str, str]]:
    world = case.world()
    true, false = world.truth()
    named = {one.family for one in findings_of(interval(world.report())) if one.severity == "finding"}
    for family in FAMILIES:
        if family in true:
            yield family, "right" if family in named else "missed"
        elif family in false and family in named:
            yield family, "wrong"
