"""The output of `objects.sql` and `segments_awr.sql`, which a DBA runs in SQL*Plus: lines of one letter and values between bars.

A file may hold whatever SQL*Plus says in between; lines of no known letter are passed over, and a file without its last line is
cut. Counters of `objects.sql` are running totals since the instance started, so two samples of an instance make an interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from plimsoll.base.errors import UsageError
from plimsoll.databases import queries
from plimsoll.requests.place_query import QueryName

MARK = "H|plimsoll-objects|"
"""The line by which such a file is known."""
_VERSION = "1"
_BAR = "\\7c"
_HINT = "Run objects.sql of this release again, and send all that it prints."
_SCRIPTS: Mapping[QueryName, str] = {"oracle": "objects", "oracle-awr": "segments_awr"}
_SCRIPT_RELEASE = 11
SEGMENT_COUNTS = (
    "logical_reads",
    "blocks_read",
    "read_requests",
    "blocks_read_direct",
    "blocks_written",
    "write_requests",
    "blocks_written_direct",
    "scans",
    "optimized_reads",
)
FILE_COUNTS = (
    "small_reads",
    "large_reads",
    "small_read_mib",
    "large_read_mib",
    "small_writes",
    "large_writes",
    "small_write_mib",
    "large_write_mib",
)


@dataclass(frozen=True, order=True)
class SegmentName:
    """A segment by its names; the part is empty where it is none."""

    owner: str
    name: str
    part: str = ""

    @property
    def words(self) -> str:
        """As one name."""
        return ".".join(one for one in (self.owner, self.name, self.part) if one)

    @property
    def whole(self) -> str | None:
        """What it is a part of."""
        return f"{self.owner}.{self.name}" if self.part else None


Counts = Mapping[str, float]


@dataclass(frozen=True)
class Place:
    """Where a segment lies, and what it is."""

    object_type: str
    tablespace: str


@dataclass(frozen=True)
class Path:
    """How statements reach an object, by the plans that the instance still held."""

    operation: str
    options: str
    statements: float
    executions: float
    disk_reads: float


@dataclass(frozen=True)
class HistoryKey:
    """An interval of AWR on one instance."""

    snap_id: int
    instance_number: int
    begin: datetime
    end: datetime


@dataclass
class Sample:
    """One file."""

    file: str
    db_id: str = ""
    db_name: str = ""
    instance_number: int = 0
    instance: str = ""
    release: str = ""
    clustered: bool = False
    started_at: datetime | None = None
    taken_at: datetime | None = None
    block_bytes: int = 8192
    cache_bytes: int | None = None
    statistics: dict[str, float] = field(default_factory=dict[str, float])
    waits: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """Event → how often sessions waited, and microseconds."""
    times_us: dict[str, float] = field(default_factory=dict[str, float])
    host: dict[str, float] = field(default_factory=dict[str, float])
    counts: dict[SegmentName, Counts] = field(default_factory=dict[SegmentName, Counts])
    places: dict[SegmentName, Place] = field(default_factory=dict[SegmentName, Place])
    sizes: dict[SegmentName, int] = field(default_factory=dict[SegmentName, int])
    cached: dict[SegmentName, tuple[float, float]] = field(
        default_factory=dict[SegmentName, tuple[float, float]]
    )
    """Blocks in the buffer cache, and in the flash cache beneath it, at the moment."""
    paths: dict[tuple[str, str], list[Path]] = field(default_factory=dict[tuple[str, str], list[Path]])
    spaces: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    """Temporary and undo tablespaces: contents and bytes."""
    files: dict[str, Counts] = field(default_factory=dict[str, Counts])
    log_bytes: dict[str, int] = field(default_factory=dict[str, int])
    history: dict[HistoryKey, dict[SegmentName, Counts]] = field(
        default_factory=dict[HistoryKey, dict[SegmentName, Counts]]
    )
    is_whole: bool = False

    @property
    def place(self) -> str:
        """For messages."""
        return f"instance {self.instance} of {self.db_name}"


def script(name: QueryName) -> str:
    """The script that a DBA runs in SQL*Plus; that of AWR's history needs the Diagnostics Pack."""
    return queries("oracle_script", _SCRIPT_RELEASE)[_SCRIPTS[name]]


def is_sample(text: str) -> bool:
    """Whether a file is such an output."""
    return any(line.startswith(MARK) for line in text.splitlines())


def read_sample(text: str, file: str) -> Sample:
    """One file. Raises UsageError `objects-version`, `objects-damaged`."""
    sample = Sample(file)
    for number, line in enumerate(text.splitlines(), start=1):
        letter, bar, rest = line.strip().partition("|")
        take = _LETTERS.get(letter) if bar else None
        if take is None:
            continue
        try:
            take(sample, [_plain(value) for value in rest.split("|")])
        except (ValueError, IndexError) as error:
            message = f"{file}, line {number}: cannot parse a line of type '{letter}': {error}"
            raise UsageError("objects-damaged", message, _HINT) from error
    if not sample.is_whole:
        message = f"{file} is truncated: its last line is missing"
        raise UsageError("objects-damaged", message, _HINT)
    if not sample.db_name:
        raise UsageError("objects-damaged", f"{file} does not say which database it belongs to", _HINT)
    return sample


def _plain(value: str) -> str:
    return value.strip().replace(_BAR, "|")


def _head(sample: Sample, values: Sequence[str]) -> None:
    if values[1] != _VERSION:
        message = f"{sample.file} is of version {values[1]} of objects.sql, and version {_VERSION} is read"
        raise UsageError("objects-version", message, _HINT)


def _instance(sample: Sample, values: Sequence[str]) -> None:
    sample.db_id, sample.db_name, number, sample.instance = values[:4]
    sample.instance_number = int(number)
    sample.release = values[5]
    sample.clustered = values[7] == "YES"
    sample.started_at, sample.taken_at = (datetime.fromisoformat(one) for one in values[8:10])
    sample.block_bytes = int(values[10])
    sample.cache_bytes = int(values[11]) if values[11] else None


def _statistic(sample: Sample, values: Sequence[str]) -> None:
    sample.statistics[values[0]] = float(values[1])


def _wait(sample: Sample, values: Sequence[str]) -> None:
    sample.waits[values[0]] = float(values[1]), float(values[2])


def _time(sample: Sample, values: Sequence[str]) -> None:
    sample.times_us[values[0]] = float(values[1])


def _host(sample: Sample, values: Sequence[str]) -> None:
    sample.host[values[0]] = float(values[1])


def _segment(sample: Sample, values: Sequence[str]) -> None:
    name = SegmentName(*values[:3])
    sample.places[name] = Place(values[3], values[4])
    sample.counts[name] = _counted(SEGMENT_COUNTS, values[5:])


def _counted(names: Sequence[str], values: Sequence[str]) -> Counts:
    return {name: float(value) for name, value in zip(names, values, strict=True)}


def _size(sample: Sample, values: Sequence[str]) -> None:
    name = SegmentName(*values[:3])
    sample.places.setdefault(name, Place(values[3], values[4]))
    sample.sizes[name] = int(values[5])


def _cached(sample: Sample, values: Sequence[str]) -> None:
    sample.cached[SegmentName(*values[:3])] = float(values[3]), float(values[4])


def _path(sample: Sample, values: Sequence[str]) -> None:
    path = Path(values[2], values[3], *(float(value) for value in values[4:7]))
    sample.paths.setdefault((values[0], values[1]), []).append(path)


def _space(sample: Sample, values: Sequence[str]) -> None:
    sample.spaces[values[0]] = values[1], int(values[2])


def _file(sample: Sample, values: Sequence[str]) -> None:
    sample.files[values[0]] = _counted(FILE_COUNTS, values[1:])


def _log(sample: Sample, values: Sequence[str]) -> None:
    sample.log_bytes[values[0]] = int(values[1])


def _history(sample: Sample, values: Sequence[str]) -> None:
    begin, end = (datetime.fromisoformat(one) for one in values[2:4])
    key = HistoryKey(int(values[0]), int(values[1]), begin, end)
    name = SegmentName(*values[4:7])
    sample.places.setdefault(name, Place(values[7], values[8]))
    sample.history.setdefault(key, {})[name] = _counted(SEGMENT_COUNTS, values[9:])


def _end(sample: Sample, values: Sequence[str]) -> None:
    sample.is_whole = values[0] == "end"


_LETTERS = {
    "H": _head,
    "I": _instance,
    "S": _statistic,
    "W": _wait,
    "T": _time,
    "O": _host,
    "G": _segment,
    "B": _size,
    "C": _cached,
    "P": _path,
    "X": _space,
    "F": _file,
    "L": _log,
    "D": _history,
    "E": _end,
}


@dataclass(frozen=True)
class Span:
    """What one instance counted between two samples, or since it started where there is but one."""

    first: Sample | None
    last: Sample

    @property
    def begin(self) -> datetime:
        """When it begins."""
        begin = self.last.started_at if self.first is None else self.first.taken_at
        assert begin is not None, "each sample says when it was taken"
        return begin

    @property
    def end(self) -> datetime:
        """When it ends."""
        assert self.last.taken_at is not None, "each sample says when it was taken"
        return self.last.taken_at

    @property
    def seconds(self) -> float:
        """How long it is."""
        return (self.end - self.begin).total_seconds()

    def gained(
        self, last: Mapping[str, float], name: str, of_first: Mapping[str, float] | None
    ) -> float | None:
        """A counter's growth; None where it is not counted, or went back."""
        if name not in last:
            return None
        grown = last[name] - (of_first or {}).get(name, 0.0)
        return grown if grown >= 0 else None

    def statistic(self, name: str) -> float | None:
        """Of the instance."""
        return self.gained(self.last.statistics, name, self.first and self.first.statistics)

    def time_s(self, name: str) -> float | None:
        """Of the time model."""
        found = self.gained(self.last.times_us, name, self.first and self.first.times_us)
        return None if found is None else found / 1e6

    def host(self, name: str) -> float | None:
        """Of the host."""
        return self.gained(self.last.host, name, self.first and self.first.host)

    def wait(self, event: str) -> tuple[float, float]:
        """How often sessions waited, and seconds; an event that nobody waited for is not counted at all."""
        waits, us = self.last.waits.get(event, (0.0, 0.0))
        old = self.first.waits.get(event, (0.0, 0.0)) if self.first else (0.0, 0.0)
        return max(0.0, waits - old[0]), max(0.0, us - old[1]) / 1e6

    def segments(self) -> Iterator[tuple[SegmentName, dict[str, float]]]:
        """What each segment gained; one whose counters went back was made anew, so that all it has is gain."""
        for name, counts in self.last.counts.items():
            old = self.first.counts.get(name, {}) if self.first else {}
            if any(counts[one] < old.get(one, 0.0) for one in counts):
                old = {}
            yield name, {one: counts[one] - old.get(one, 0.0) for one in counts}

    def files(self, filetype: str) -> dict[str, float] | None:
        """I/O of one type of file."""
        counts = self.last.files.get(filetype)
        if counts is None:
            return None
        old = self.first.files.get(filetype, {}) if self.first else {}
        return {one: max(0.0, counts[one] - old.get(one, 0.0)) for one in counts}


def spans(samples: Sequence[Sample]) -> list[list[Span]]:
    """Intervals in the order of time, each with the instances that sampled it.

    Raises UsageError `objects-several` for samples of more than one database.
    """
    databases = {(one.db_id, one.db_name) for one in samples}
    if len(databases) > 1:
        names = ", ".join(sorted(name for _, name in databases))
        raise UsageError(
            "objects-several",
            f"the samples are of several databases: {names}",
            "Plan one database at a time.",
        )
    by_instance: dict[int, list[Sample]] = {}
    for one in sorted((one for one in samples if one.counts or one.statistics), key=_taken):
        by_instance.setdefault(one.instance_number, []).append(one)
    return _side_by_side([span for found in by_instance.values() for span in _of_instance(found)])


def _taken(sample: Sample) -> tuple[int, datetime]:
    assert sample.taken_at is not None, "each sample says when it was taken"
    return sample.instance_number, sample.taken_at


def _of_instance(samples: Sequence[Sample]) -> Iterator[Span]:
    """Between samples of one life of the instance; a single one since the start."""
    if len(samples) == 1:
        yield Span(None, samples[0])
        return
    for first, last in pairwise(samples):
        if first.started_at == last.started_at and first.taken_at != last.taken_at:
            yield Span(first, last)
        elif first.started_at != last.started_at:
            yield Span(None, last)


def _side_by_side(found: Sequence[Span]) -> list[list[Span]]:
    """Spans of different instances that overlap for the most part are one interval."""
    groups: list[list[Span]] = []
    for span in sorted(found, key=lambda one: (one.begin, one.last.instance_number)):
        for group in groups:
            taken = {one.last.instance_number for one in group}
            if span.last.instance_number not in taken and _overlap(group[0], span):
                group.append(span)
                break
        else:
            groups.append([span])
    return groups


def _overlap(one: Span, other: Span) -> bool:
    common = (min(one.end, other.end) - max(one.begin, other.begin)).total_seconds()
    return common > 0.5 * min(one.seconds, other.seconds)
