"""Numbers that remember where they are printed, and how exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from plimsoll.facts import Origin, PrintedCell

ROUNDED_AWAY = "the report rounds it to nothing, and it was not nothing"
_AS_PRINTED = "as printed"
_AND = " and "


@dataclass(frozen=True)
class Quantity:
    """A number in base units. `slack` is how far rounding in print may have moved it, up or down."""

    value: float
    slack: float
    source: str
    cells: tuple[PrintedCell, ...]
    how: str = _AS_PRINTED

    def origin(self, figure: str) -> Origin:
        """Where a figure that has this value comes from."""
        return Origin(figure=figure, source=self.source, how=self.how, cells=self.cells)

    def times(self, factor: float, how: str) -> Quantity:
        """Multiplied by something exact."""
        return replace(self, value=self.value * factor, slack=abs(self.slack * factor), how=how)

    def said(self, how: str) -> Quantity:
        """The same in other words."""
        return replace(self, how=how)

    @property
    def looseness(self) -> float:
        """Slack as a share of the value; infinite where nothing but a zero is printed."""
        return self.slack / abs(self.value) if self.value else float("inf") if self.slack else 0.0


def _joined(sources: Iterable[str]) -> str:
    """Each once."""
    return _AND.join(dict.fromkeys(name for source in sources for name in source.split(_AND)))


def named_together(parts: Iterable[Quantity | None]) -> str:
    """The sources of all that is known; `none` where nothing is."""
    return _joined(part.source for part in parts if part is not None) or "none"


def added(parts: Sequence[Quantity], how: str) -> Quantity | None:
    """The sum; None of nothing."""
    if not parts:
        return None
    cells = tuple(cell for part in parts for cell in part.cells)
    sources = _joined(part.source for part in parts)
    return Quantity(sum(part.value for part in parts), sum(part.slack for part in parts), sources, cells, how)


def less(one: Quantity, others: Sequence[Quantity], how: str) -> Quantity:
    """The difference. It may be negative, where what is printed contradicts itself."""
    value = one.value - sum(other.value for other in others)
    slack = one.slack + sum(other.slack for other in others)
    cells = one.cells + tuple(cell for other in others for cell in other.cells)
    sources = _joined([one.source, *(other.source for other in others)])
    return Quantity(value, slack, sources, cells, how)


def ratio(one: Quantity, other: Quantity, how: str) -> Quantity | None:
    """The quotient; None where the divisor is zero."""
    if not other.value:
        return None
    value = one.value / other.value
    slack = abs(value) * (one.looseness + other.looseness) if value else one.slack / abs(other.value)
    sources = _joined((one.source, other.source))
    return Quantity(value, slack, sources, one.cells + other.cells, how)


def agree(one: Quantity, other: Quantity, share: float = 0.0) -> bool:
    """Whether two numbers may be the same thing, but for rounding and `share` of the larger one."""
    allowed = one.slack + other.slack + share * max(abs(one.value), abs(other.value))
    return abs(one.value - other.value) <= allowed


def is_rounded_away(one: Quantity | None, other: Quantity | None) -> bool:
    """Whether a figure is printed as 0 although there was something."""
    return one is not None and not one.value and bool(one.slack) and other is not None and other.value > 0
