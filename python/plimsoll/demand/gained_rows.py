"""What rows of counters gained between two kept snapshots, each as it was kept: whole, or as changes of an earlier one.

Nothing is gained across a restart, a failover or a reset, and of a row whose values were not kept at both ends nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from plimsoll.demand.changed_rows import key_of, numbers_of, values_of
from plimsoll.demand.deltas import Gap, other_life
from plimsoll.facts import KeptRows, Snapshot

_CHAINS_MAX = 2
"""Two collectors may keep one series beside each other, each with changes of its own."""


@dataclass(frozen=True)
class RowsState:
    """All rows as they were with one snapshot, by their keys; of those in `left_out` the values are not known."""

    of: KeptRows
    lines: Mapping[str, str]
    left_out: frozenset[str] = frozenset()
    unknown: str | None = None


@dataclass(frozen=True)
class GainedRow:
    """A row that gained something, or whose names are wanted. None in `gains`: not known."""

    key: tuple[str, ...]
    names: tuple[str | None, ...]
    gains: Mapping[str, float | None]
    at_least: bool = False
    """It was counted anew in between: forgotten, or set to zero by itself. What it had before that is missing."""


@dataclass(frozen=True)
class Gained:
    """What rows of one kind gained."""

    rows: tuple[GainedRow, ...]
    unkept: frozenset[str]
    """Keys of rows of which nothing is known because others gained more at one of the ends."""
    gone: frozenset[str]
    """Keys of rows that were there and are not any more: what they gained until then is not known."""
    figures: Mapping[str, float | None] = field(default_factory=dict[str, float | None])
    """What figures of all rows gained; None where one went back."""


def states(parts: Iterable[KeptRows]) -> Iterator[RowsState]:
    """The state with each snapshot, from the oldest on. The lines of one are good until the next is asked for.

    Of a part whose earlier snapshot is not among them nothing is known, until all rows were kept again.
    """
    chains: dict[datetime, dict[str, str]] = {}
    left_out: dict[datetime, set[str]] = {}
    for part in parts:
        if part.unknown is not None:
            yield RowsState(part, {}, unknown=part.unknown)
            continue
        if part.after is None:
            lines, out = {}, set[str]()
        elif part.after in chains:
            lines, out = chains.pop(part.after), left_out.pop(part.after)
        else:
            reason = "the snapshot that these rows follow is not kept"
            yield RowsState(part, {}, unknown=reason)
            continue
        _apply(part, lines, out)
        chains[part.taken_at], left_out[part.taken_at] = lines, out
        for old in list(chains)[:-_CHAINS_MAX]:
            del chains[old], left_out[old]
        yield RowsState(part, lines, frozenset(out))


def _apply(part: KeptRows, lines: dict[str, str], out: set[str]) -> None:
    for key in part.gone:
        lines.pop(key, None)
        out.discard(key)
    for line in part.rows.split("\n") if part.rows else ():
        key = key_of(line, part.keys)
        lines[key] = line
        out.discard(key)
    for key in part.left_out:
        lines.pop(key, None)
        out.add(key)


def ends(parts: Iterable[KeptRows], begin: datetime, end: datetime) -> tuple[RowsState, RowsState] | None:
    """The states with the snapshots of these two moments; None where one of them has no rows of that kind."""
    first: RowsState | None = None
    for state in states(parts):
        if state.of.taken_at == begin:
            first = RowsState(state.of, dict(state.lines), state.left_out, state.unknown)
        if state.of.taken_at == end:
            return None if first is None else (first, state)
    return None


def gained(before: Snapshot, after: Snapshot, first: RowsState, last: RowsState) -> Gained | Gap:
    """What each row gained between two snapshots, whose states these are; or why that is not known."""
    reason = other_life(before, after) or first.unknown or last.unknown or _apart(first.of, last.of)
    if reason is not None:
        return Gap(reason)
    rows = [
        row
        for key, line in last.lines.items()
        if key not in first.left_out and (row := _gained_row(last.of, first.lines.get(key), line)) is not None
    ]
    there = last.lines.keys() | last.left_out
    gone = frozenset((first.lines.keys() | first.left_out) - there)
    is_whole = not gone and not any(row.at_least for row in rows)
    unkept = frozenset((first.left_out | last.left_out) & there)
    return Gained(tuple(rows), unkept, gone, _figures(first.of, last.of, is_whole))


def empty_before(last: RowsState) -> RowsState:
    """What there was when the counters of a kind that are all reset together were reset, for the gains since then."""
    return RowsState(last.of.but(figures=dict.fromkeys(last.of.figures, 0.0)), {})


def was_reset(first: KeptRows, last: KeptRows) -> bool:
    """Whether counters of that kind were set to zero in between."""
    return last.reset_at is not None and last.reset_at != first.reset_at


def _apart(first: KeptRows, last: KeptRows) -> str | None:
    if first.columns != last.columns:
        return "other columns were counted in between"
    if last.reset_at is not None and was_reset(first, last):
        return f"the counters of {last.kind} were reset at {last.reset_at.isoformat(timespec='seconds')}"
    return None


def _gained_row(of: KeptRows, old: str | None, new: str) -> GainedRow | None:
    """None where it gained nothing. A row that was not there before was zero throughout."""
    first = of.keys + of.names
    news = numbers_of(new, first)
    olds: list[float | None] = [0.0] * len(news) if old is None else numbers_of(old, first)
    anew = any(
        then is not None and now is not None and now < then for then, now in zip(olds, news, strict=True)
    )
    if anew:
        olds = [0.0] * len(news)
    gains = [
        None if then is None or now is None else now - then for then, now in zip(olds, news, strict=True)
    ]
    if not any(gains) and None not in gains:
        return None
    values = values_of(new)[:first]
    named = dict(zip(of.columns[first:], gains, strict=True))
    return GainedRow(tuple(value or "" for value in values[: of.keys]), tuple(values[of.keys :]), named, anew)


def _figures(first: KeptRows, last: KeptRows, is_whole: bool) -> dict[str, float | None]:
    gains = {name: _figure_gain(first.figures.get(name), now) for name, now in last.figures.items()}
    if gains.get("forgotten") or not is_whole:
        # Sums lose what was forgotten or reset by itself, by an amount that nobody knows.
        gains |= {name: None for name in gains if name.startswith("all.")}
    return gains


def _figure_gain(then: float | None, now: float | None) -> float | None:
    return None if then is None or now is None or now < then else now - then
