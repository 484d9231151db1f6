"""Rows in words: how much of the time and of the rows is not seen, and a share of what is."""

from __future__ import annotations

from plimsoll.base.units import format_seconds, format_share
from plimsoll.facts import CountedPart
from plimsoll.results._activity._counts import Format, ratio, said
from plimsoll.results._blocks import Points

_LEAST = "≥ "
_CLOCKS_S = 1.0
"""A difference of the span that is no more than how clocks are read."""
_SHARE_LEAST = 0.001
"""What is not nothing never reads as 0."""


def unseen(part: CountedPart, span_s: float, noun: str, *more: str) -> Points:
    """What is not in the tables of these rows."""
    lacks = [*_time_unknown(part, span_s), *_rows_unknown(part, noun), *more]
    everything = f"Nothing: what each of the {part.gained:,} {noun} gained is known."
    told = "; ".join(lacks)
    return Points(
        ((f"What is not seen of {noun}", f"{told[:1].upper()}{told[1:]}." if told else everything),)
    )


def _time_unknown(part: CountedPart, span_s: float) -> list[str]:
    reasons = "; ".join(part.unknown)
    if span_s - part.known_s > _CLOCKS_S:
        lost = f"{format_seconds(span_s - part.known_s)} of {format_seconds(span_s)}"
        return [f"{lost}, of which nothing is known{f': {reasons}' if reasons else ''}"]
    return [reasons] if reasons else []


def _rows_unknown(part: CountedPart, noun: str) -> list[str]:
    found: list[str] = []
    if part.unkept:
        found.append(f"{part.unkept:,} {noun} that were not kept in some of the time, as others gained more")
    if part.gone:
        found.append(f"{part.gone:,} that were gone at the end, and what they gained until then")
    return found


def amount(value: float | None, at_least: bool, words: Format) -> str:
    """A gain; of a row that is not known in all of the time a lower bound."""
    return f"{_LEAST if at_least and value is not None else ''}{said(value, words)}"


def share_of(value: float | None, whole: float | None) -> str:
    """Its share of what all gained; unknown where the one or the other is, or all gained nothing."""
    found = ratio(value, whole)
    if found is None:
        return "unknown"
    return f"< {format_share(_SHARE_LEAST)}" if 0 < found < _SHARE_LEAST else format_share(found)
