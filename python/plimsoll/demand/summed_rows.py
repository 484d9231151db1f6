"""What rows of one kind gained in several stretches of time together, and how much of that is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from plimsoll.demand.amounts import plus
from plimsoll.demand.changed_rows import values_of
from plimsoll.demand.gained_rows import Gained, GainedRow, RowsState
from plimsoll.facts import Gains

_ALL = "all."
"""How figures begin that are sums over all rows."""
Key = tuple[str, ...]


@dataclass
class SummedRows:
    """Sums that grow by a stretch at a time; `names`, by key, are the last that each had."""

    known_s: float = 0.0
    reasons: dict[str, None] = field(default_factory=dict[str, None])
    rows: dict[Key, GainedRow] = field(default_factory=dict[Key, GainedRow])
    unkept: set[Key] = field(default_factory=set[Key])
    gone: set[Key] = field(default_factory=set[Key])
    names: Mapping[Key, tuple[str | None, ...]] = field(default_factory=dict[Key, tuple[str | None, ...]])
    _figures: Mapping[str, float | None] | None = None

    def add(self, found: Gained, seconds: float) -> None:
        """A further stretch."""
        self.known_s += seconds
        # Each may have been among those that were forgotten, and have come back.
        is_least = bool(found.figures.get("forgotten"))
        for row in found.rows:
            self.rows[row.key] = _sum(self.rows.get(row.key), replace(row, at_least=row.at_least or is_least))
        self.unkept |= {_key(key) for key in found.unkept}
        # A row that came back is there, and its gains of before are at least what is known.
        self.gone = (self.gone | {_key(key) for key in found.gone}) - {row.key for row in found.rows}
        if self._figures is None:
            self._figures = found.figures
        else:
            self._figures = {
                name: plus(value, self._figures.get(name)) for name, value in found.figures.items()
            }

    def miss(self, reason: str) -> None:
        """Nothing is known of a stretch, or of a part of one."""
        self.reasons[reason] = None

    @property
    def gains(self) -> list[GainedRow]:
        """All rows that gained something; one that is not known in all of the time gained at least that."""
        partly = self.unkept | self.gone
        is_part = bool(self.reasons)
        return [
            replace(row, at_least=row.at_least or is_part or key in partly) for key, row in self.rows.items()
        ]

    @property
    def totals_of_all(self) -> Gains:
        """What all rows gained by the server's own sums; None where one of them is not known."""
        found = self._figures or {}
        return {name.removeprefix(_ALL): value for name, value in found.items() if name.startswith(_ALL)}

    @property
    def totals_of_known(self) -> Gains:
        """What the rows gained of which it is known."""
        totals: dict[str, float | None] = {}
        for row in self.rows.values():
            for name, value in row.gains.items():
                totals[name] = (totals.get(name) or 0.0) + (value or 0.0)
        return totals


def _sum(before: GainedRow | None, more: GainedRow) -> GainedRow:
    if before is None:
        return more
    gains = {name: plus(value, before.gains.get(name)) for name, value in more.gains.items()}
    return replace(more, gains=gains, at_least=more.at_least or before.at_least)


def _key(key: str) -> Key:
    return _filled(values_of(key))


def _filled(values: Iterable[str | None]) -> Key:
    return tuple(value or "" for value in values)


def names_of(state: RowsState) -> dict[Key, tuple[str | None, ...]]:
    """What rows are called, by key; empty of a kind without names."""
    first, last = state.of.keys, state.of.keys + state.of.names
    if not state.of.names:
        return {}
    found = (values_of(line) for line in state.lines.values())
    return {_filled(values[:first]): tuple(values[first:last]) for values in found}
