"""Rows of a watch put together by what was asked for, and what single rows belong to, as people see them."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.units import format_bytes, format_mb, format_rate, format_us
from plimsoll.charts import Table
from plimsoll.facts import Watch, WatchedCall, WatchedCallGroup, WatchedGroup, WatchedIo
from plimsoll.facts.commits import LATENCY_US_MAX
from plimsoll.facts.watch import WatchWord
from plimsoll.results._blocks import Grid

NONE = "–"
UNKNOWN = "unknown"
_BELONGS: tuple[WatchWord, ...] = ("database", "tablespace", "cgroup")
_HEADS: dict[WatchWord, str] = {
    "role": "who",
    "database": "database",
    "tablespace": "tablespace",
    "file": "file",
    "device": "disk",
    "cgroup": "control group",
}
_FIGURES = ("I/Os per s", "MB/s", "mean size", "errors", "wait before", "p50", "p99", "p99.9")
_CALL_FIGURES = ("calls per s", "MB/s", "mean size", "errors", "p50", "p99", "p99.9")
_AGAIN = "seen again"
_SPARE = ("errors", "p99.9", "wait before", "mean size", "p50")


def latency_words(us: float | None) -> str:
    """The kernel's steps have an end; what is beyond took longer, and nobody knows how much."""
    if us is None:
        return NONE
    return f"more than {format_us(LATENCY_US_MAX)}" if us > LATENCY_US_MAX else format_us(us)


def with_belongs(
    table: Table, rows: Sequence[WatchedIo] | Sequence[WatchedCall], by: Sequence[WatchWord]
) -> Table:
    """A table of rows with a column for each thing that they belong to, before the last, where that was asked for."""
    words: list[WatchWord] = [word for word in _BELONGS if word in by or any(_has(row, word) for row in rows)]
    if not words:
        return table
    return Table(
        (*table.columns[:-1], *(_HEADS[word] for word in words), table.columns[-1]),
        tuple(
            (*cells[:-1], *(getattr(row, word) or UNKNOWN for word in words), cells[-1])
            for cells, row in zip(table.rows, rows, strict=True)
        ),
        (*table.numeric[:-1], *(False for _ in words), table.numeric[-1]),
        table.spare,
    )


def _has(row: WatchedIo | WatchedCall, word: WatchWord) -> bool:
    return getattr(row, word) is not None


def groups_table(groups: Sequence[WatchedGroup], by: Sequence[WatchWord]) -> Table:
    """As people see them, live and afterwards; columns that say nothing of all are left out."""
    columns = (*(_HEADS[word] for word in by), "operation", _AGAIN, *_FIGURES)
    rows = tuple(
        (
            *(_told(one, word) for word in by),
            one.operation,
            "yes" if one.is_again else "no",
            format_rate(one.iops),
            format_mb(one.mb_per_s),
            NONE if one.size_bytes_mean is None else format_bytes(one.size_bytes_mean),
            f"{one.errors:,}",
            format_us(one.queue_us_mean),
            *map(latency_words, (one.latency_us.p50, one.latency_us.p99, one.latency_us.p999)),
        )
        for one in groups
    )
    silent = {"errors"} if not any(one.errors for one in groups) else set[str]()
    silent |= {_AGAIN} if not any(one.is_again for one in groups) else set()
    numeric = (*(False for _ in by), False, False, *(True for _ in _FIGURES))
    return Table(columns, rows, numeric, _SPARE).without(silent)


def groups_grid(found: Watch, shown: int, folded: bool = False) -> Grid:
    """The first of them."""
    caption = f"I/O by {_said(found.by)}{_first(len(found.groups), shown)}; latency is the disk's, behind the wait before"
    return Grid(caption, groups_table(found.groups[:shown], found.by), folded=folded)


def call_groups_grid(found: Watch, shown: int, folded: bool = False) -> Grid:
    """The first of the calls put together."""
    groups, by = found.call_groups[:shown], found.by
    columns = (*(_HEADS[word] for word in by), "call", *_CALL_FIGURES)
    rows = tuple(
        (
            *(_told(one, word) for word in by),
            one.operation,
            format_rate(one.calls_per_s),
            format_mb(one.mb_per_s),
            NONE if one.size_bytes_mean is None else format_bytes(one.size_bytes_mean),
            f"{one.errors:,}",
            *map(latency_words, (one.latency_us.p50, one.latency_us.p99, one.latency_us.p999)),
        )
        for one in groups
    )
    silent = {"errors"} if not any(one.errors for one in groups) else set[str]()
    numeric = (*(False for _ in by), False, *(True for _ in _CALL_FIGURES))
    caption = f"Calls by {_said(by)}{_first(len(found.call_groups), shown)}; latency is the call's, from begin to end"
    return Grid(caption, Table(columns, rows, numeric, _SPARE).without(silent), folded=folded)


def _told(one: WatchedGroup | WatchedCallGroup, word: WatchWord) -> str:
    if word == "file":
        return _file_of(one)
    return getattr(one, word, None) or UNKNOWN


def _file_of(one: WatchedGroup | WatchedCallGroup) -> str:
    if one.file is not None:
        return one.relation or one.file
    if one.inode_number is not None:
        where = f" at {one.device}" if isinstance(one, WatchedGroup) and one.device is not None else ""
        return f"inode {one.inode_number}{where}"
    if isinstance(one, WatchedGroup) and one.file_kind == "device":
        return "a disk itself"
    is_of_no_file = isinstance(one, WatchedGroup) and one.operation not in ("read", "write")
    return NONE if is_of_no_file else UNKNOWN


def _said(by: Sequence[WatchWord]) -> str:
    words = [_HEADS[word] if word != "role" else "role" for word in by]
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1]


def _first(number: int, shown: int) -> str:
    return f", the first {shown:,} of {number:,}" if number > shown else ""
