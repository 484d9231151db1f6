"""What a file of this room tells of its rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from plimsoll.facts import PrintedCell
from plimsoll.facts.advice import Severity
from plimsoll.rules._interval import Interval, System, Wait, cells_of, cells_of_waits, total_s


@dataclass(frozen=True)
class Found:
    """That a rule applies to an interval, and on what it stands.

    `storage_saves_s` is what the storage that is thought of would save: a number only where storage is the matter.
    """

    reason: str
    cells: tuple[PrintedCell, ...]
    db_time_s: float | None = None
    storage_saves_s: float | None = None
    storage_saves_s_max: float | None = None
    events: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    advice: str | None = None
    """In place of the rule's own."""
    is_hint: bool = False


@dataclass(frozen=True)
class Rule:
    """One rule. Its manual page is the text at the head of its file."""

    title: str
    family: str
    advice: str
    disproof: str
    find: Callable[[Interval], Found | None]
    severity: Severity = "finding"
    systems: tuple[System, ...] = ("oracle",)
    holds_on_exadata: bool = True


def of_waits(interval: Interval, waits: list[Wait], share_min: float, words: str) -> Found | None:
    """The plainest finding: sessions waited for these, and it is `share_min` of DB time or more."""
    seconds = total_s(waits)
    share = interval.share(seconds)
    if not waits or share is None or share < share_min:
        return None
    longest = ", ".join(f"{wait.seconds:,.0f} s for '{wait.event}'" for wait in waits[:3])
    return Found(
        reason=f"sessions waited {longest}{words}: {100 * share:.1f} % of DB time",
        cells=cells_of_waits(waits[:3]) + cells_of(interval.db_time),
        db_time_s=seconds,
        events=tuple(wait.event for wait in waits),
    )
