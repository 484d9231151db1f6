"""Tablespaces of a report: all reads of their files, by size, and how long these took.

Tablespace IO is taken. Where 11.2.0.4 prints its columns in the wrong order and no row proves it, the reader gives none of them,
and the sums over File IO, which is not affected, stand in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from plimsoll.facts.placement import ObjectKind
from plimsoll.placement.objects._figures import Figures
from plimsoll.placement.objects.access import LARGE_BLOCKS_MIN, UNKNOWN, Between, Reads, by_requests
from plimsoll.reports.figures.evidence import Row

_APART_MAX = 10.0
"""Some releases print times of reads that are many times what all sessions waited: such a section says nothing of time."""
_ROUNDED = 0.5
"""Rates are printed without a fraction."""
_UNDO = re.compile(r"UNDO|RBS|ROLLBACK", re.I)
_TEMP = re.compile(r"(TEMP|TMP)", re.I)
"""At the begin of a name: tables that are loaded and emptied lie in tablespaces that end in it."""
DICTIONARY = ("SYSTEM", "SYSAUX")
"""What lies in them moves with its tablespace alone."""


@dataclass(frozen=True)
class Space:
    """A tablespace in the interval. None: not printed."""

    name: str
    kind: ObjectKind
    requests: float | None
    blocks: float | None
    reads: Reads
    writes: float | None
    counts_writes: bool
    """Whether writes were counted, not made of a rate without a fraction."""
    read_s: float | None
    small_us: float | None
    large_us: float | None
    flash_share: float | None
    source: str

    @property
    def is_dictionary(self) -> bool:
        """Whether its segments cannot be moved by themselves."""
        return self.name.rpartition(".")[2].upper() in DICTIONARY


def spaces_of(figures: Figures) -> list[Space]:
    """All that the report prints, most reads first; none where it prints neither tablespaces nor files."""
    undo = _undo_names(figures)
    by_space = [
        _space(figures, _Sums(figures, "tablespace_io", [row]), undo)
        for row in _rows(figures, "tablespace_io")
    ]
    by_file = {space.name: space for space in _of_files(figures, undo)}
    found = [_whole(space, by_file) for space in by_space] if by_space else list(by_file.values())
    return sorted(_believed(figures, found), key=lambda one: -(one.blocks or 0.0))


def _rows(figures: Figures, view: str) -> list[Row]:
    return [row for row in figures.evidence.rows(view) if row["tablespace"]]


def _whole(space: Space, by_file: Mapping[str, Space]) -> Space:
    """The sums of its files, where the tablespace's own line does not count its writes and theirs do."""
    other = by_file.get(space.name)
    return other if other is not None and not space.counts_writes and other.counts_writes else space


def _of_files(figures: Figures, undo: frozenset[str]) -> Iterator[Space]:
    rows: dict[str, list[Row]] = {}
    for row in _rows(figures, "file_io"):
        rows.setdefault(_name(row), []).append(row)
    for found in rows.values():
        yield _space(figures, _Sums(figures, "file_io", found), undo)


def _name(row: Row) -> str:
    """With its pluggable database, where one is printed."""
    return f"{row['pdb']}.{row['tablespace']}" if row.get("pdb") else row["tablespace"]


class _Sums:
    """Lines of one tablespace, added up; a figure that one of them lacks is unknown."""

    def __init__(self, figures: Figures, view: str, rows: list[Row]) -> None:
        self.name = _name(rows[0])
        self.view = view
        self._figures, self._rows = figures, rows

    def reads(self, row: Row) -> float | None:
        """Requests of a line."""
        counted = self._figures.number(self.view, row, "reads")
        return (
            counted
            if counted is not None
            else self._figures.over_interval(self._figures.number(self.view, row, "reads_per_s"))
        )

    def column(self, name: str) -> float | None:
        """The sum of a column."""
        return _sum(self._figures.number(self.view, row, name) for row in self._rows)

    def requests(self) -> float | None:
        """The sum of reads."""
        return _sum(self.reads(row) for row in self._rows)

    def weighted(self, name: str) -> float | None:
        """The sum of reads × a figure of a read."""
        return _sum(self._product(row, name) for row in self._rows)

    def time_us(self, name: str) -> float | None:
        """The sum of reads × their time; a time that is rounded to nothing is not known."""
        found = self.weighted(name)
        return found if found or not self.requests() else None

    def _product(self, row: Row, name: str) -> float | None:
        reads, figure = self.reads(row), self._figures.number(self.view, row, name)
        return 0.0 if reads == 0 else None if reads is None or figure is None else reads * figure


def _sum(values: Iterator[float | None]) -> float | None:
    found = list(values)
    return None if None in found else sum(one or 0.0 for one in found)


def _space(figures: Figures, sums: _Sums, undo: frozenset[str]) -> Space:
    requests, blocks, writes = sums.requests(), sums.weighted("blocks_per_read"), sums.column("writes")
    time_us = sums.time_us("avg_read_us")
    single = figures.over_interval(sums.column("single_block_reads_per_s"))
    single_us = sums.time_us("avg_single_block_read_us")
    reads = _by_size(figures, requests, blocks, single)
    mean_us = time_us / requests if time_us is not None and requests else None
    small_us = single_us / requests if single_us is not None and requests else mean_us
    return Space(
        name=sums.name,
        kind=_kind(sums.name, undo),
        requests=requests,
        blocks=blocks,
        reads=reads,
        writes=figures.over_interval(sums.column("writes_per_s")) if writes is None else writes,
        counts_writes=writes is not None,
        read_s=None if time_us is None else time_us / 1e6,
        small_us=small_us or mean_us or figures.small_us,
        large_us=_large_us(reads, time_us, small_us) or mean_us or figures.large_us,
        flash_share=_flash_share(sums, requests),
        source="Tablespace IO" if sums.view == "tablespace_io" else "File IO",
    )


def _flash_share(sums: _Sums, requests: float | None) -> float | None:
    percent = sums.weighted("optimized_reads_percent")
    return percent / requests / 100.0 if percent is not None and requests else None


def _by_size(figures: Figures, requests: float | None, blocks: float | None, single: float | None) -> Reads:
    """By blocks and requests, and by the reads of one block where they are printed."""
    if requests is None:
        return Reads(UNKNOWN, UNKNOWN)
    found = Reads(Between(0.0, requests), Between(0.0, requests))
    if blocks is not None:
        blocks = max(blocks, requests)
        found = by_requests(blocks, requests, figures.large_blocks, figures.large_blocks_max)
    return found if single is None else _by_single(figures, requests, blocks, single, found)


def _by_single(figures: Figures, requests: float, blocks: float | None, single: float, other: Reads) -> Reads:
    """Single reads are printed as a rate without a fraction, so within half a read a second, and within what blocks allow."""
    slack = _ROUNDED * (figures.elapsed_s or 0.0)
    low, high = max(single - slack, other.small.low), min(single + slack, other.small.high)
    if low > high:
        return other
    guess = min(high, max(low, single))
    small = Between(low, high, guess)
    mean = (blocks - guess) / (requests - guess) if blocks is not None and requests > guess else None
    is_mean = mean is not None and LARGE_BLOCKS_MIN <= mean <= figures.large_blocks_max
    return Reads(small, small.taken_from(requests), mean if is_mean else figures.large_blocks)


def _large_us(reads: Reads, time_us: float | None, small_us: float | None) -> float | None:
    """What is left of the time, for each large read."""
    small, large = reads.small.value, reads.large.value
    if time_us is None or small_us is None or small is None or not large:
        return None
    rest = time_us - small * small_us
    return rest / large if rest > 0 else None


def _kind(name: str, undo: frozenset[str]) -> ObjectKind:
    plain = name.rpartition(".")[2].upper()
    if plain in undo or _UNDO.search(plain):
        return "undo"
    return "temp" if _TEMP.match(plain) else "other"


def _undo_names(figures: Figures) -> frozenset[str]:
    rows = figures.evidence.labelled("parameters", "parameter", "undo_tablespace")
    return frozenset(
        str(row[name]).upper() for row in rows for name in ("begin_value", "end_value") if row.get(name)
    )


def _believed(figures: Figures, spaces: list[Space]) -> list[Space]:
    """Without their times, where these are many times what sessions waited for I/O."""
    every = sum(space.read_s or 0.0 for space in spaces)
    waited = figures.waited.io_s
    if waited is None or every <= _APART_MAX * max(waited, 1.0):
        return spaces
    return [replace(space, read_s=None, small_us=None, large_us=None) for space in spaces]
