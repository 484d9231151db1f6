"""Which of a server's rows a snapshot keeps: once a day all of them, and between only those that changed since the one before.

`plimsoll.demand.gained_rows` is the way back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from plimsoll.base import limits
from plimsoll.databases import CountedRows
from plimsoll.facts import KeptRows, KeptRowsKind

SEPARATOR = "\t"
UNKNOWN = "\\N"
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_AS_READ: frozenset[KeptRowsKind] = frozenset({"sizes", "waits"})
"""Kinds that are no totals: each snapshot has other rows, and none of them follows an earlier one."""
_KEPT_MAX: Mapping[KeptRowsKind, int] = {"statements": limits.STATEMENTS_KEPT_MAX}


def key_of(line: str, keys: int) -> str:
    """The values that say which row it is, as they stand in its line."""
    return SEPARATOR.join(line.split(SEPARATOR, keys)[:keys])


def numbers_of(line: str, first: int) -> list[float | None]:
    """The values from that column on."""
    return [None if value == UNKNOWN else float(value) for value in line.split(SEPARATOR)[first:]]


def values_of(line: str) -> list[str | None]:
    r"""The values as they were before COPY wrote them: \N is unknown, and a backslash stands before what would end a line."""
    return [_text(value) for value in line.split(SEPARATOR)]


def _text(value: str) -> str | None:
    if value == UNKNOWN:
        return None
    if "\\" not in value:
        return value
    made, signs = "", iter(value)
    for sign in signs:
        after = next(signs, "") if sign == "\\" else ""
        made += _ESCAPES.get(after, after) if sign == "\\" else sign
    return made


@dataclass(frozen=True)
class _Read:
    """Rows of a snapshot by their keys; of those in `left_out` the values were not kept."""

    taken_at: datetime
    whole_at: datetime
    columns: tuple[str, ...]
    lines: Mapping[str, str]
    left_out: frozenset[str] = frozenset()


@dataclass
class ChangedRows:
    """Of one kind and one run of a collector. What the store did not take is as if it had not been read."""

    kind: KeptRowsKind
    _before: _Read | None = None
    _now: _Read | None = field(default=None, repr=False)

    def kept_of(self, rows: CountedRows, taken_at: datetime) -> KeptRows:
        """What is to be kept with the snapshot that was taken then."""
        self._now = None
        if rows.unknown is not None:
            return KeptRows(kind=self.kind, taken_at=taken_at, unknown=rows.unknown)
        before = self._before if self._goes_on(rows, taken_at) else None
        lines = {key_of(line, rows.keys): line for line in rows.lines}
        known = {} if before is None else before.lines
        unkept = frozenset[str]() if before is None else before.left_out
        changed = [key for key, line in lines.items() if key in unkept or known.get(key) != line]
        kept_max = _KEPT_MAX.get(self.kind, limits.ROWS_KEPT_MAX)
        if len(changed) > kept_max:
            changed = most_gained(changed, known, lines, rows.keys + rows.names)
        kept, left_out = changed[:kept_max], changed[kept_max:]
        whole_at = taken_at if before is None else before.whole_at
        self._now = _Read(taken_at, whole_at, rows.columns, lines, frozenset(left_out))
        return KeptRows(
            kind=self.kind,
            taken_at=taken_at,
            after=None if before is None else before.taken_at,
            columns=rows.columns,
            keys=rows.keys,
            names=rows.names,
            rows="\n".join(lines[key] for key in kept),
            gone=tuple(key for key in known if key not in lines),
            left_out=tuple(left_out),
            figures=dict(rows.figures),
            reset_at=rows.reset_at,
        )

    def _goes_on(self, rows: CountedRows, taken_at: datetime) -> bool:
        """Whether changes alone are kept: not where nothing is known before, once a day, and where the columns are others.

        Nor where the server's clock was set back: in the order of time, changes would stand before what they are changes of.
        """
        before = self._before
        if before is None or before.columns != rows.columns or self.kind in _AS_READ:
            return False
        is_young = taken_at - before.whole_at < timedelta(seconds=limits.ROWS_WHOLE_S)
        return is_young and taken_at > before.taken_at

    def confirm(self) -> None:
        """The store has them."""
        self._before = self._now or self._before


def most_gained(keys: list[str], known: Mapping[str, str], lines: Mapping[str, str], first: int) -> list[str]:
    """By the best of a row's ranks: who gained most of anything comes before who gained a little of all."""
    gains = {key: _gains(known.get(key), lines[key], first) for key in keys}
    ranks = dict.fromkeys(keys, len(keys))
    for column in range(len(next(iter(gains.values()), ()))):
        ordered = sorted(keys, key=lambda key: -gains[key][column])
        for rank, key in enumerate(ordered):
            if gains[key][column] > 0:
                ranks[key] = min(ranks[key], rank)
    return sorted(keys, key=lambda key: ranks[key])


def _gains(old: str | None, new: str, first: int) -> list[float]:
    news = numbers_of(new, first)
    olds = [0.0] * len(news) if old is None else numbers_of(old, first)
    return [(now or 0.0) - (then or 0.0) for then, now in zip(olds, news, strict=True)]
