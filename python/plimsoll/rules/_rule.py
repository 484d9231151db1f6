"""What a file of this room tells of its rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from plimsoll.facts import PrintedCell
from plimsoll.facts.advice import Severity
from plimsoll.rules._interval import Interval, Platform, System


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
    not_on: tuple[Platform, ...] = ()
    """Where it does not hold: on Exadata what takes a read for one of a device, on Aurora what takes data files for written."""
    only_on: tuple[Platform, ...] = ()
    """Where alone it holds; none: everywhere."""
