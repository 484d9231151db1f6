"""What a file of this room tells of its rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from plimsoll.facts import PrintedCell
from plimsoll.facts.advice import Severity
from plimsoll.rules._interval import Interval, System


@dataclass(frozen=True)
class Found:
    """That a rule applies to an interval, and on what it stands.

    `storage_saves_s` is what the storage that is thought of would save: a number only where storage is the matter.
    """

    reason: str
    cells: tuple[PrintedCell, ...]
    db_time_s: float | None = None
    storage_saves_s: float | None = None
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
    """Not where it takes a read for one of a device: cells answer from flash or disk, and filter what they read."""
