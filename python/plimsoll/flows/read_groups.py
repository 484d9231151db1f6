"""What `plimsoll read` makes of a group of reports: here with what the reader holds of each, apart with all that outputs take."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from plimsoll.base.packing import Packer
from plimsoll.native.datasets import files_of
from plimsoll.reports import datasets, tables
from plimsoll.reports.collection import Shortening, Shorts
from plimsoll.reports.fleet import one_by_one
from plimsoll.reports.intervals import order
from plimsoll.reports.reader import Reading, read_all
from plimsoll.reports.sources import Source

TypedTable = tuple[str, int, bytes]
"""Name, number of rows, and the rows as Parquet."""
_PACKING_LEVEL = 1
"""Rows shrink manifold at the lowest level already."""


@dataclass(frozen=True)
class Wants:
    """Which tables of each report, all where none is named, go into files of which format, are shown, or go into the store."""

    file_format: str | None
    tables: tuple[str, ...] = ()
    keeps: bool = False
    lists: bool = True
    """Whether somebody may look at the lists of sections, which take their time to make."""


PlacedRows = tuple[tuple[object, ...], tuple[tuple[str, bytes], ...]]
"""The report's place in the order of all, and its rows, packed, by table."""


@dataclass(frozen=True)
class ReadGroup:
    """Reports that were read together: in short, and with what outputs take of them, where that is wanted."""

    shorts: Shorts
    count: int
    """How many sources' reports, those that were passed over among them."""
    weight_bytes: int
    """Their part of the bytes on disk."""
    unopened: int = 0
    """Names in the command that led to nothing."""
    missing: int = 0
    """Of those, the names under which nothing is there."""
    readings: tuple[Reading, ...] = ()
    """Where they were read here, with what the reader holds of each, in place of all below."""
    dataset: Any = None
    """As the dataset of that format takes it."""
    shown: tuple[PlacedRows, ...] = ()
    """For each reading its rows."""
    kept: tuple[tuple[Reading, tuple[TypedTable, ...]], ...] = ()
    """For each reading itself, without what the reader holds, and its typed tables."""


def read_here(wants: Wants, group: Sequence[Source]) -> ReadGroup:
    """With what the reader holds."""
    taken = _Taken(wants)
    readings = one_by_one(read_all, group)
    return taken.group(readings=tuple(taken.take(one) for one in readings))


def read_apart(wants: Wants, group: Sequence[Source]) -> ReadGroup:
    """With all that is wanted of it, which crosses to another process. What the reader holds of each is let go before the next."""
    taken = _Taken(wants)
    shown: list[PlacedRows] = []
    kept: list[tuple[Reading, tuple[TypedTable, ...]]] = []
    wanted = frozenset(wants.tables)

    def each() -> Iterator[Reading]:
        for source in group:
            for reading in read_all(source):
                listed = taken.take(reading)
                if wants.file_format is None and wanted:
                    shown.append(placed_rows(reading, wanted))
                if wants.keeps:
                    kept.append((replace(listed, part=None), typed_tables(reading)))
                yield reading

    if wants.file_format is None:
        dataset = None
        for _ in each():
            pass
    else:
        dataset = datasets.packed(wants.file_format, each(), wanted)
    return taken.group(dataset=dataset, shown=tuple(shown), kept=tuple(kept))


class _Taken:
    """What every group has, while its readings pass."""

    def __init__(self, wants: Wants) -> None:
        self._packer = Packer() if wants.lists else None
        self._short = Shortening()
        self._count = self._weight_bytes = self._unopened = self._missing = 0

    def take(self, reading: Reading) -> Reading:
        """One more; with its list of sections, where somebody may look at it."""
        if self._packer is not None:
            reading = reading.listed(self._packer)
        self._short.add(reading)
        self._count += 1
        self._weight_bytes += reading.weight_bytes
        if not reading.passed_over:
            self._unopened += reading.unopened
            self._missing += reading.missing
        return reading

    def group(self, **more: Any) -> ReadGroup:
        """All of them, with what else there is of them."""
        counts = self._count, self._weight_bytes, self._unopened, self._missing
        return ReadGroup(self._short.made(), *counts, **more)


def placed_rows(reading: Reading, wanted: frozenset[str]) -> PlacedRows:
    """Rows of those tables to be shown."""
    rows = tuple((name, packed(found)) for name, found in tables.rows_of(reading, wanted))
    return order(reading.report), rows


def typed_tables(reading: Reading) -> tuple[TypedTable, ...]:
    """What the store takes: none of what could not be read."""
    if reading.content is None or not is_storable(reading):
        return ()
    names = tables.names_of(reading.report)
    return tuple(files_of(names, reading.content, reading.content.section_names()))


def is_storable(reading: Reading) -> bool:
    """Whether it is a report, with whatever data."""
    return reading.report.sha256 is not None and reading.report.status != "unreadable"


def packed(rows: Sequence[tables.Row]) -> bytes:
    """Small enough to wait."""
    return zlib.compress(json.dumps(rows, ensure_ascii=False, allow_nan=False).encode(), _PACKING_LEVEL)
