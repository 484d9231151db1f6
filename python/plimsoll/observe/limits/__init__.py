"""Limits of the kernel that held I/O back while it was watched: what each allows, the most that was used of it, and what lifts it.

Each file is a limit, or several of a kind. It is read at every look beside what is used of it at that moment, so that what is told
was measured; between two looks more may have been used.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.base import registry
from plimsoll.facts import BindingLimit, WatchedIo
from plimsoll.facts.watch import LimitName, LimitUnit
from plimsoll.observe.limits._use import Fixed, Limit, Look, Use


def _all() -> list[Limit]:
    here = sys.modules[__name__]
    return [registry.load(here, name, "LIMIT")() for name in registry.names(here)]


_Key = tuple[LimitName, str | None, LimitUnit]
"""What tells one limit from another: a group may have a cap of bytes beside one of I/Os."""


@dataclass
class LimitWatch:
    """`look` often, then `binding` and `unseen`."""

    root: Path = Path("/")
    looks: int = 0
    looks_of_rows: int = 0
    """Those at which rows were told."""
    _limits: list[Limit] = field(default_factory=_all)
    _found: dict[_Key, BindingLimit] = field(default_factory=dict)
    _unseen: dict[tuple[LimitName, str], str] = field(default_factory=dict)
    _fixed: dict[str, Fixed] = field(default_factory=dict)
    _of_rows: set[_Key] = field(default_factory=set)

    def look(self, rows: Sequence[WatchedIo] = ()) -> None:
        """What is used of each now; the rows are those since the look before, where they were told."""
        self.looks += 1
        self.looks_of_rows += 1 if rows else 0
        look = Look(self.root, rows, fixed=self._fixed)
        bound: dict[_Key, Use] = {}
        for limit in self._limits:
            for use in limit.uses(look):
                if use.used >= use.binds_at and max(use.value, use.binds_at) > 0:
                    bound.setdefault(_key(use), use)
        for use in bound.values():
            self._keep(use)
        self._unseen.update(look.unseen)

    def binding(self) -> tuple[BindingLimit, ...]:
        """Those that bound at any look, that first which did at most of the looks at it; none: nothing did."""
        found = [
            one.but(looked=self.looks_of_rows if at in self._of_rows else self.looks)
            for at, one in self._found.items()
        ]
        return tuple(
            sorted(found, key=lambda one: (-one.looks / (one.looked or 1), one.name, one.of or "", one.unit))
        )

    @property
    def unseen(self) -> tuple[str, ...]:
        """What could not be told, in words, of limits that did not bind for all that is known."""
        bound = {(name, of) for name, of, _ in self._found}
        return tuple(words for at, words in self._unseen.items() if at not in bound)

    def _keep(self, use: Use) -> None:
        known = self._found.get(_key(use))
        if use.is_of_rows:
            self._of_rows.add(_key(use))
        self._found[_key(use)] = BindingLimit(
            name=use.name,
            of=use.of,
            unit=use.unit,
            value=use.value,
            used_max=max(use.used, 0 if known is None else known.used_max),
            looks=1 + (0 if known is None else known.looks),
            advice=use.advice,
        )


def _key(use: Use) -> _Key:
    return use.name, use.of, use.unit
