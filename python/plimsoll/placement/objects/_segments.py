"""Segments of a report's lists, each with what all lists say of it.

A list shows the first few. A segment that is not in one had no more than the last that is, which bounds what is not printed of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from plimsoll.facts.placement import ObjectKind
from plimsoll.placement.objects._figures import Figures
from plimsoll.placement.objects._tablespaces import Space
from plimsoll.placement.objects.access import UNKNOWN, Between, Reads, by_blocks, by_requests
from plimsoll.reports.figures.evidence import Row

_NAMELESS = "**"
"""Segments that were dropped meanwhile, or whose names the report could not find: ** MISSING **, ** UNAVAILABLE **."""
_CUT_MIN = 10
"""Text cuts names of tablespaces to so many signs in these lists."""
_IO_LISTS = (
    "physical reads",
    "physical read requests",
    "direct physical reads",
    "unoptimized reads",
    "physical writes",
    "physical write requests",
    "direct physical writes",
)
"""Lists of I/O. A segment that is in none of them is no object here: nothing says that it was read or written."""


@dataclass(frozen=True)
class Key:
    """What names a segment."""

    pdb: str
    owner: str
    name: str
    part: str

    @property
    def words(self) -> str:
        """As one name."""
        return ".".join(part for part in (self.pdb, self.owner, self.name, self.part) if part)

    @property
    def whole(self) -> str | None:
        """The table or index that it is a partition of."""
        return ".".join(part for part in (self.pdb, self.owner, self.name) if part) if self.part else None


@dataclass
class Segment:
    """One of them. `counts` are of the lists that show it."""

    key: Key
    tablespace: str
    object_type: str
    object_id: str = ""
    counts: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def kind(self) -> ObjectKind:
        """By the type that is printed."""
        kind = self.object_type.upper()
        if "UNDO" in kind:
            return "undo"
        if "LOB" in kind:
            return "lob"
        if "PARTITION" in kind or self.key.part:
            return "partition"
        return "table" if kind.startswith("TABLE") else "index" if kind.startswith("INDEX") else "other"


@dataclass(frozen=True)
class Segments:
    """All of the lists. `last` is what the last of each list had, `nameless_blocks` what those without a name read."""

    found: Sequence[Segment]
    last: Mapping[str, float]
    nameless_blocks: float
    listed: frozenset[str]

    def of_space(self, space: Space) -> list[Segment]:
        """Those in a tablespace."""
        return [one for one in self.found if _is_in(one, space)]

    def count(self, segment: Segment, name: str) -> Between:
        """What a list says of it: as printed, or no more than the last that is printed."""
        if name in segment.counts:
            return Between(segment.counts[name], segment.counts[name])
        return Between(0.0, self.last[name]) if name in self.last else UNKNOWN

    def reads(self, segment: Segment, figures: Figures, large_blocks: float | None) -> Reads:
        """Small and large requests of it."""
        blocks, requests = (
            self.count(segment, "physical reads"),
            self.count(segment, "physical read requests"),
        )
        mean = large_blocks or figures.large_blocks
        most = figures.large_blocks_max
        if blocks.is_exact and requests.is_exact:
            return by_requests(max(blocks.high, requests.high), requests.high, mean, most)
        if blocks.is_exact:
            found = by_blocks(blocks.high, mean)
            return Reads(_at_most(found.small, requests.high), _at_most(found.large, requests.high), mean)
        if requests.is_exact:
            beyond = max(0.0, min(blocks.high, requests.high * most) - requests.high)
            large = Between(0.0, min(requests.high, beyond))
            return Reads(large.taken_from(requests.high), large, mean)
        most_requests = min(blocks.high, requests.high)
        return Reads(Between(0.0, most_requests), Between(0.0, most_requests), mean)

    def blocks_of(self, segment: Segment) -> float:
        """Blocks that it read at least."""
        requests = self.count(segment, "physical read requests").low
        return max(self.count(segment, "physical reads").low, requests)

    def writes(self, segment: Segment, figures: Figures) -> tuple[Between, Between]:
        """By sessions themselves, and in the background."""
        blocks, requests = (
            self.count(segment, "physical writes"),
            self.count(segment, "physical write requests"),
        )
        high = min(blocks.high, requests.high)
        low = requests.low if requests.is_exact else blocks.low / figures.large_blocks_max
        direct = self._direct_writes(segment, figures)
        by_sessions = Between(
            min(high, direct.low / figures.large_blocks_max), min(high, direct.high), min(high, direct.low)
        )
        guess = max(0.0, requests.high - direct.low) if requests.is_exact else None
        background = Between(max(0.0, low - by_sessions.high), max(0.0, high - by_sessions.low), guess)
        return by_sessions, background

    def _direct_writes(self, segment: Segment, figures: Figures) -> Between:
        """Blocks; of one that the list does not show no more than all that were written so. Its likeliest is the low end."""
        listed = self.count(segment, "direct physical writes")
        every = figures.total("physical writes direct")
        return listed if listed.is_exact or every is None else Between(0.0, min(listed.high, every))


def _at_most(one: Between, most: float) -> Between:
    return Between(
        min(one.low, most), min(one.high, most), None if one.guess is None else min(one.guess, most)
    )


def segments_of(figures: Figures) -> Segments:
    """Every segment with I/O in the lists of a report."""
    found: dict[tuple[Key, str], Segment] = {}
    columns = ("pdb_name", "owner", "object_name", "subobject_name")
    values: dict[str, list[float]] = {}
    nameless = 0.0
    for row, name, value in _rows(figures):
        values.setdefault(name, []).append(value)
        if _NAMELESS in f"{row.get('owner')}{row.get('object_name')}":
            nameless += value if name == "physical reads" else 0.0
            continue
        key = Key(*(_text(row, column) for column in columns))
        number = _text(row, "object_id")
        new = Segment(key, _text(row, "tablespace"), _text(row, "object_type"), number)
        segment = found.setdefault((key, number), new)
        segment.counts.setdefault(name, value)
    last = {name: min(shown) for name, shown in values.items()}
    of_io = [one for one in found.values() if any(name in one.counts for name in _IO_LISTS)]
    _tell_apart(of_io)
    return Segments(of_io, last, nameless, frozenset(values))


def _tell_apart(segments: Sequence[Segment]) -> None:
    """Text cuts names, so that two objects may be called alike: their numbers then follow."""
    seen: dict[Key, int] = {}
    for one in segments:
        seen[one.key] = seen.get(one.key, 0) + 1
    for one in segments:
        if seen[one.key] > 1:
            one.key = replace(one.key, part=f"{one.key.part} (object {one.object_id})".strip())


def _rows(figures: Figures) -> Iterator[tuple[Row, str, float]]:
    for row in figures.evidence.rows("segments"):
        name, value = row["ordered_by"], figures.number("segments", row, "value")
        if name is not None and value is not None and row.get("object_name"):
            yield row, name, value


def _text(row: Row, column: str) -> str:
    return str(row.get(column) or "").strip()


def _is_in(segment: Segment, space: Space) -> bool:
    """By name; text cuts that of the segment's."""
    if not segment.tablespace:
        return False
    name = (
        f"{segment.key.pdb}.{segment.tablespace}"
        if segment.key.pdb and "." in space.name
        else segment.tablespace
    )
    plain = space.name if "." in name else space.name.rpartition(".")[2]
    return plain == name or (len(segment.tablespace) >= _CUT_MIN and plain.startswith(name))


def logical_reads(segments: Segments, segment: Segment) -> float | None:
    """Blocks that were asked for of it, in the cache or not; None where they are not printed."""
    found = segments.count(segment, "logical reads")
    return found.high if found.is_exact else None
