"""What one rule of an audit is, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from plimsoll.facts.host_audit import HostFindingSeverity
from plimsoll.host.audit._look import Look


@dataclass(frozen=True)
class Told:
    """What a rule found. `advice` names the command; None of `of`: it is of the host."""

    severity: HostFindingSeverity
    message: str
    advice: str | None = None
    of: str | None = None
    """The database's words."""


@dataclass(frozen=True)
class Rule:
    """What it looks for, why that matters, and where that is written.

    `look` reads through what it is handed, which keeps each value as evidence; it says nothing where all is well, and raises
    `Unread` where it cannot tell and `Idle` where the host has nothing of the kind. `absent`: what it means that a running kernel
    has not the first file that is read; empty: that it cannot be told.
    """

    title: str
    why: str
    source: str
    look: Callable[[Look], Iterator[Told]]
    absent: str = ""
