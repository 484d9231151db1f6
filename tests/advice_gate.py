"""How findings stand against causes that are known: of each family, how often it is named, and how often rightly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from advice_cases import FAMILIES, Case, drawn
from advice_reports import interval
from plimsoll.rules import findings_of

COUNT = 12
"""Reports of each cause, in each half."""
FIRST_HALF, HELD_OUT = 0, 1
"""By the first half thresholds may be chosen; the other one judges them."""
PRECISION_MIN, RECALL_MIN = 0.9, 0.8


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


def of_half(half: int, count: int = COUNT) -> dict[str, Score]:
    """All reports of a half."""
    return scores(drawn(count, half))


def _told(case: Case) -> Iterator[tuple[str, str]]:
    world = case.world()
    true, false = world.truth()
    named = {one.family for one in findings_of(interval(world.report())) if one.severity == "finding"}
    for family in FAMILIES:
        if family in true:
            yield family, "right" if family in named else "missed"
        elif family in false and family in named:
            yield family, "wrong"
