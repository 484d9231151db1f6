"""Rows beside snapshots when those are thinned: each kind in its own way, so that what is told of two kept moments stays as it was.

Totals are chained anew, from one kept moment to the next. Waits are counts of what was seen, and are added up. Sizes are values of
a moment: of each share of the relations the newest of the day stays, with its own time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from plimsoll.demand.changed_rows import SEPARATOR, key_of, most_gained, numbers_of
from plimsoll.demand.gained_rows import RowsState, states
from plimsoll.facts import KeptRows


def chained_anew(
    parts: Iterable[KeptRows], begin: datetime, moments: Collection[datetime], rows_max: int | None = None
) -> list[KeptRows]:
    """Of the states at these moments, from `begin` on: the first whole, the others as changes of the one before.

    `parts` may begin earlier, where the first of them follows an earlier one. Of more than `rows_max` rows those are kept that
    gained most over the day; the others are named, so that what they gained is unknown.
    """
    if rows_max is None:
        return list(_changes(_frame(state) for state in _since(begin, parts) if state.of.taken_at in moments))
    frames: list[_Frame] = []
    last: RowsState | None = None
    for state in _since(begin, parts):
        frames += [_frame(state)] if state.of.taken_at in moments else []
        last = state if state.unknown is None else last
    if last is not None:
        _bound(frames, last, rows_max)
    return list(_changes(frames))


def _since(begin: datetime, parts: Iterable[KeptRows]) -> Iterator[RowsState]:
    return (state for state in states(parts) if state.of.taken_at >= begin)


def _frame(state: RowsState) -> _Frame:
    return _Frame(state.of, dict(state.lines), set(state.left_out), state.unknown)


@dataclass
class _Frame:
    """All rows at a moment."""

    of: KeptRows
    lines: dict[str, str]
    left_out: set[str]
    unknown: str | None


def _bound(frames: Sequence[_Frame], last: RowsState, rows_max: int) -> None:
    first = next((frame for frame in frames if frame.unknown is None), None)
    if first is None or len(last.lines) <= rows_max:
        return
    is_same = first.of.columns == last.of.columns
    olds = first.lines if is_same else {}
    wanted = set(most_gained(list(last.lines), olds, last.lines, last.of.keys + last.of.names)[:rows_max])
    for frame in frames:
        out = {key for key in frame.lines if key not in wanted}
        frame.left_out |= out
        frame.lines = {key: line for key, line in frame.lines.items() if key not in out}


def _changes(frames: Iterable[_Frame]) -> Iterator[KeptRows]:
    before: _Frame | None = None
    for frame in frames:
        if frame.unknown is not None:
            yield KeptRows(kind=frame.of.kind, taken_at=frame.of.taken_at, unknown=frame.unknown)
            continue
        if before is not None and _shape(before.of) != _shape(frame.of):
            before = None
        yield _change(before, frame)
        before = frame


def _shape(part: KeptRows) -> tuple[tuple[str, ...], int, int]:
    return part.columns, part.keys, part.names


def _change(before: _Frame | None, now: _Frame) -> KeptRows:
    olds = {} if before is None else before.lines
    out_before = set[str]() if before is None else before.left_out
    return now.of.but(
        after=None if before is None else before.of.taken_at,
        rows="\n".join(line for key, line in now.lines.items() if olds.get(key) != line),
        gone=tuple(sorted((olds.keys() | out_before) - now.lines.keys() - now.left_out)),
        left_out=tuple(sorted(now.left_out - out_before)),
    )


def followed(parts: Iterable[KeptRows]) -> set[datetime]:
    """The earlier snapshots whose rows these change."""
    return {part.after for part in parts if part.after is not None}


def added_up(parts: Iterable[KeptRows], moments: Collection[datetime]) -> list[KeptRows]:
    """Waits: what was seen since one kept moment is told at the next one. What comes after the last of them stays as it is."""
    made: list[KeptRows] = []
    waiting: list[KeptRows] = []
    for part in parts:
        waiting.append(part)
        if part.taken_at in moments:
            made.append(_sum(waiting))
            waiting = []
    return [*made, *waiting]


def _sum(parts: Sequence[KeptRows]) -> KeptRows:
    """Where nobody looked for a part of the time, it says so beside what was seen in the rest."""
    last = parts[-1]
    if len(parts) == 1:
        return last
    known = [part for part in parts if part.unknown is None]
    reasons = [part.unknown for part in parts if part.unknown is not None]
    seen: Counter[str] = Counter()
    for part in known:
        for line in part.rows.split("\n") if part.rows else ():
            seen[key_of(line, part.keys)] += int(numbers_of(line, part.keys)[0] or 0)
    shape = known[-1] if known else last
    return shape.but(
        taken_at=last.taken_at,
        rows="\n".join(f"{key}{SEPARATOR}{count}" for key, count in sorted(seen.items())),
        figures=_summed([part.figures for part in parts]),
        unknown=reasons[-1] if reasons else None,
    )


def _summed(figures: Sequence[dict[str, float | None]]) -> dict[str, float | None]:
    names = dict.fromkeys(name for one in figures for name in one)
    return {name: sum(one.get(name) or 0.0 for one in figures) for name in names}


def newest_of_each_share(parts: Sequence[KeptRows], rows_max: int | None = None) -> list[KeptRows]:
    """Sizes: with `rows_max` those of the largest relations alone."""
    newest: dict[tuple[float | None, float | None], KeptRows] = {}
    for part in parts:
        newest[part.figures.get("shares"), part.figures.get("share")] = part
    kept = sorted(newest.values(), key=lambda part: part.taken_at)
    return kept if rows_max is None else _largest(kept, rows_max)


def _largest(parts: Sequence[KeptRows], rows_max: int) -> list[KeptRows]:
    sized = [
        (numbers_of(line, part.keys)[0] or 0.0, line)
        for part in parts
        for line in (part.rows.split("\n") if part.rows else ())
    ]
    if len(sized) <= rows_max:
        return list(parts)
    least = sorted((size for size, _ in sized), reverse=True)[rows_max - 1]
    return [
        part.but(
            rows="\n".join(
                line for line in part.rows.split("\n") if (numbers_of(line, part.keys)[0] or 0.0) >= least
            )
            if part.rows
            else ""
        )
        for part in parts
    ]
