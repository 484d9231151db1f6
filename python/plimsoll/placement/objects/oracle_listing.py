"""Listings of V$SQL_PLAN × V$SQLAREA × DBA_SEGMENTS by object, operation and options, with megabytes of full scans.

M. Ault's Tier Zero articles of 2012 print the query: `fts_meg` is (executions + 1) × the segment's bytes, summed over the
statements that reach the object so. For full scans it bounds what was read. For an access by index or row it counts
accesses, and the size of the object times their number says nothing of reads. The listing names no interval and no owner;
several files, of several instances or moments, are added up, as their plans may or may not be the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from plimsoll.facts import CountBound, Inventory, Note, StorageObject
from plimsoll.facts.placement import ObjectKind

_HEADINGS = ("OBJECT_NAME", "OPERATION", "OPTIONS", "FTS_MEG")
_RULER = re.compile(r"\s*-+( +-+)+\s*$")
_WORD = re.compile(r"[\w$#]+$")
_NUMBER = re.compile(r"[\d,]*\.?\d+$")
_FULL = ("FULL", "FAST FULL SCAN")
"""A FULL SCAN of an index follows its order, block by block."""
_MIB = 1 << 20
_KINDS: Mapping[str, ObjectKind] = {"TABLE ACCESS": "table", "INDEX": "index"}


@dataclass(frozen=True)
class Access:
    """A line of a listing."""

    object: str
    operation: str
    options: str
    fts_mib: float


@dataclass
class _Found:
    kind: ObjectKind
    full_mib: float = 0.0
    other_mib: float = 0.0
    ways: list[str] = field(default_factory=list[str])


def is_listing(text: str) -> bool:
    """Whether a file is such a listing."""
    return any(_is_heading(line) for line in text.splitlines())


def read_listing(text: str) -> list[Access]:
    """All lines of all its pages."""
    found: list[Access] = []
    spans: list[tuple[str, int, int]] = []
    heading = ""
    for line in text.expandtabs().splitlines():
        if _is_heading(line):
            heading, spans = line, []
        elif heading and _RULER.match(line):
            spans, heading = _spans(heading, line), ""
        elif spans and line.strip():
            _take(
                found,
                {name: line[begin:end].strip() for name, begin, end in spans},
                spans[0][2] - spans[0][1],
            )
        elif not line.strip():
            continue
    return found


def _is_heading(line: str) -> bool:
    return set(_HEADINGS) <= set(line.upper().split())


def _spans(heading: str, ruler: str) -> list[tuple[str, int, int]]:
    """Each column by its heading, which stands over its dashes."""
    dashes = [found.span() for found in re.finditer(r"-+", ruler)]
    ends = [0, *(end for _, end in dashes)]
    return [
        (heading[ends[place] : end].strip().upper(), begin, end) for place, (begin, end) in enumerate(dashes)
    ]


def _take(found: list[Access], cells: Mapping[str, str], width: int) -> None:
    """A line, or the rest of a name that filled its column and was wrapped."""
    number, name = cells.get("FTS_MEG", "").replace(",", ""), cells["OBJECT_NAME"]
    if _NUMBER.match(number):
        found.append(Access(name, cells["OPERATION"], cells["OPTIONS"], float(number)))
    elif found and _WORD.match(name) and not cells["OPERATION"] and len(found[-1].object) % width == 0:
        found[-1] = replace(found[-1], object=found[-1].object + name)


def inventory(listings: Mapping[str, Sequence[Access]], sizes: Mapping[str, int]) -> Inventory:
    """Objects by the megabytes that full scans would read, most first."""
    found: dict[str, _Found] = {}
    for accesses in listings.values():
        for one in accesses:
            known = found.setdefault(one.object, _Found(_KINDS.get(one.operation, "other")))
            known.ways.append(f"{one.operation} {one.options} {one.fts_mib:,.2f} MB".replace("  ", " "))
            if one.options in _FULL:
                known.full_mib += one.fts_mib
            else:
                known.other_mib += one.fts_mib
    names = sorted(found, key=lambda name: (-found[name].full_mib, -found[name].other_mib, name))
    return Inventory(
        objects=tuple(_object(name, found[name], sizes.get(name)) for name in names),
        interval_s=None,
        source=f"plans by object of {', '.join(listings)}",
        notes=tuple(_notes([name for name in names if name not in sizes])),
    )


def _object(name: str, found: _Found, size: int | None) -> StorageObject:
    """Full scans read no more than their megabytes; how much an access by index or row reads is open."""
    bounds = [
        CountBound(count="small_reads", low=0.0, high=None if found.other_mib else 0.0),
        CountBound(count="large_reads", low=0.0, high=found.full_mib),
    ]
    if size is None:
        bounds.append(CountBound(count="size_bytes", low=0.0, high=None))
    return StorageObject(
        name=name,
        kind=found.kind,
        size_bytes=size,
        tier=None,
        small_reads=None if found.other_mib else 0.0,
        large_reads=None,
        large_read_bytes_mean=float(_MIB),
        small_writes=None,
        bounds=tuple(bound for bound in bounds if bound.high != 0.0),
        evidence=f"plans reach it by {'; '.join(found.ways)}; of full scans, reads of 1 MiB each at most",
    )


def _notes(unsized: Sequence[str]) -> Iterator[Note]:
    message = "the listing counts executions since plans came into memory, and no reads: what the cache answered is in it"
    yield Note(code="plans-alone", message=message)
    if unsized:
        message = f"it prints no sizes: {len(unsized)} objects have none, the first '{unsized[0]}'; give them with --sizes FILE.csv"
        yield Note(code="sizes-unknown", message=message)
