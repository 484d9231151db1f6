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
from plimsoll.reports.fleet import one_by_one
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


@dataclass(frozen=True)
class ReadGroup:
    """Reports that were read together. What lies behind `readings` is there where they were read apart, and wanted."""

    readings: tuple[Reading, ...]
    is_packed: bool = False
    dataset: Any = None
    """As the dataset of that format takes it."""
    shown: tuple[tuple[tuple[str, bytes], ...], ...] = ()
    """For each reading its rows, packed, by table."""
    kept: tuple[tuple[TypedTable, ...], ...] = ()
    """For each reading its typed tables."""


def read_here(wants: Wants, group: Sequence[Source]) -> ReadGroup:
    """With what the reader holds."""
    packer = Packer()
    readings = one_by_one(read_all, group)
    return ReadGroup(tuple(one.listed(packer) if wants.lists else one for one in readings))


def read_apart(wants: Wants, group: Sequence[Source]) -> ReadGroup:
    """With all that is wanted of it, which crosses to another process. What the reader holds of each is let go before the next."""
    taken = _Taken(wants, group)
    if wants.file_format is None:
        dataset = None
        for _ in taken.each():
            pass
    else:
        dataset = datasets.packed(wants.file_format, taken.each(), taken.wanted)
    return ReadGroup(tuple(taken.readings), True, dataset, tuple(taken.shown), tuple(taken.kept))


class _Taken:
    """What is made of a group while its readings pass."""

    def __init__(self, wants: Wants, group: Sequence[Source]) -> None:
        self._wants, self._group = wants, group
        self._packer = Packer()
        self.wanted = frozenset(wants.tables)
        self.readings: list[Reading] = []
        self.shown: list[tuple[tuple[str, bytes], ...]] = []
        self.kept: list[tuple[TypedTable, ...]] = []

    def each(self) -> Iterator[Reading]:
        for source in self._group:
            for reading in read_all(source):
                self._take(reading)
                yield reading

    def _take(self, reading: Reading) -> None:
        listed = reading.listed(self._packer) if self._wants.lists else reading
        self.readings.append(replace(listed, part=None))
        if self._wants.file_format is None and self.wanted:
            self.shown.append(shown_rows(reading, self.wanted))
        if self._wants.keeps:
            self.kept.append(typed_tables(reading))


def shown_rows(reading: Reading, wanted: frozenset[str]) -> tuple[tuple[str, bytes], ...]:
    """Rows of those tables to be shown, packed."""
    return tuple((name, packed(rows)) for name, rows in tables.rows_of(reading, wanted))


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
