"""Objects of an Oracle database, from what a DBA's runs of `objects.sql` or `segments_awr.sql` printed.

Instances of a cluster are added up, sizes taken once. Blocks and requests of a segment are both counted, so that little room is
left between its small and its large reads; the instance's own multi-block reads say how large a large one is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from plimsoll.base.errors import UsageError
from plimsoll.facts import CountBound, Inventory, Note, StorageObject, UnseenShare
from plimsoll.facts.placement import ObjectKind
from plimsoll.placement.objects.access import Between, Reads, by_requests, in_cache
from plimsoll.placement.objects.oracle_samples import (
    Counts,
    HistoryKey,
    Path,
    Place,
    Sample,
    SegmentName,
    Span,
    spans,
)

REDO = "redo log"
_LARGE_BYTES_MAX = 1 << 20
_MIB = 1 << 20
_SMALL_EVENTS = ("db file sequential read", "cell single block physical read")
_LARGE_EVENTS = ("db file scattered read", "direct path read", "cell multiblock physical read")
_TEMP_EVENTS = ("direct path read temp", "direct path write temp")
_IO_EVENTS = (
    *_SMALL_EVENTS,
    *_LARGE_EVENTS,
    *_TEMP_EVENTS,
    "db file parallel read",
    "read by other session",
    "direct path write",
    "free buffer waits",
    "log buffer space",
    "log file sync",
)
_DICTIONARY = ("SYSTEM", "SYSAUX")
_CACHED_SHARE_MIN = 0.9
"""Of its blocks in the cache at the moment: such an object lives there."""
_PATHS_SHOWN = 3


@dataclass(frozen=True)
class _Times:
    """Microseconds of a read, by what sessions waited; None where nobody waited for one."""

    small_us: float | None
    large_us: float | None


def inventories(samples: Sequence[Sample]) -> list[Inventory]:
    """An inventory for each interval. Raises UsageError `objects-several`, `objects-none`."""
    found = [_of_spans(group, samples) for group in spans(samples)]
    found += _of_history(samples)
    if not found:
        files = ", ".join(one.file for one in samples)
        hint = "Run objects.sql again where the database was at work."
        raise UsageError("objects-none", f"{files} show no segment that was read or written", hint)
    return found


def _of_spans(group: Sequence[Span], samples: Sequence[Sample]) -> Inventory:
    counts = _added(pair for span in group for pair in span.segments())
    times = _Times(_mean_us(group, _SMALL_EVENTS), _mean_us(group, _LARGE_EVENTS))
    large_blocks = _large_blocks(group)
    sizes, places = _sizes(samples), _places(samples)
    first = group[0].last
    objects, dictionary = _objects(counts, places, sizes, samples, first, large_blocks, times)
    objects += [*_spaces(group, samples), *_redo(group)]
    blocks = sum(one.get("blocks_read", 0.0) for one in counts.values()) - dictionary
    return Inventory(
        objects=tuple(sorted(objects, key=lambda one: (-(one.read_s or 0.0), one.name))),
        interval_s=sum(span.seconds for span in group) / len(group),
        db_time_s=_sum(span.time_s("DB time") for span in group),
        foreground_io_wait_s=_waited_s(group),
        cpu_busy_share=_busy(group),
        cpus=sum(span.last.host.get("NUM_CPUS", 0.0) for span in group) or None,
        cache_bytes=sum(span.last.cache_bytes or 0 for span in group) or None,
        clustered=any(span.last.clustered for span in group),
        instance=", ".join(span.last.instance for span in group),
        begin_time=min(span.begin for span in group).isoformat(),
        end_time=max(span.end for span in group).isoformat(),
        unseen=tuple(_unseen(group, blocks)),
        source=f"objects.sql of {first.db_name}, Oracle {first.release}: {', '.join(span.last.file for span in group)}",
        notes=tuple(_notes(group, dictionary)),
    )


def _added(pairs: Iterable[tuple[SegmentName, Counts]]) -> dict[SegmentName, dict[str, float]]:
    """Over instances."""
    found: dict[SegmentName, dict[str, float]] = {}
    for name, counts in pairs:
        of_name = found.setdefault(name, dict.fromkeys(counts, 0.0))
        for count, value in counts.items():
            of_name[count] += value
    return found


def _sizes(samples: Sequence[Sample]) -> dict[SegmentName, int]:
    """Of the last sample that has each."""
    return {name: size for one in samples for name, size in one.sizes.items()}


def _places(samples: Sequence[Sample]) -> dict[SegmentName, Place]:
    return {name: place for one in samples for name, place in one.places.items()}


def _mean_us(group: Sequence[Span], events: Sequence[str]) -> float | None:
    waited = [span.wait(event) for span in group for event in events]
    waits = sum(one[0] for one in waited)
    return 1e6 * sum(one[1] for one in waited) / waits if waits else None


def _waited_s(group: Sequence[Span]) -> float | None:
    """What sessions waited for I/O; None where a sample has no waits at all, which no instance is without."""
    if not all(span.last.waits for span in group):
        return None
    return sum(span.wait(event)[1] for span in group for event in _IO_EVENTS)


def _large_blocks(group: Sequence[Span]) -> float | None:
    """Mean blocks of a large read, by the multi-block requests of all instances."""
    names = (
        "physical read total multi block requests",
        "physical read total IO requests",
        "physical read total bytes",
    )
    large, every, size = (_sum(span.statistic(name) for span in group) for name in names)
    block_bytes = group[0].last.block_bytes
    if not large or every is None or size is None:
        return None
    blocks = (size - (every - large) * block_bytes) / large / block_bytes
    return min(_LARGE_BYTES_MAX / block_bytes, blocks) if blocks >= 2.0 else None


def _sum(values: Iterable[float | None]) -> float | None:
    found = list(values)
    return None if None in found else sum(one or 0.0 for one in found)


def _objects(
    counts: Mapping[SegmentName, Counts],
    places: Mapping[SegmentName, Place],
    sizes: Mapping[SegmentName, int],
    samples: Sequence[Sample],
    first: Sample,
    large_blocks: float | None,
    times: _Times,
) -> tuple[list[StorageObject], float]:
    """Segments that can be moved, and the blocks that those of the dictionary read."""
    made: list[StorageObject] = []
    dictionary = 0.0
    cached = _cached(samples)
    paths = _paths(samples)
    for name, found in counts.items():
        place = places[name]
        if place.tablespace in _DICTIONARY:
            dictionary += found["blocks_read"]
        elif "UNDO" not in place.object_type:
            segment = _Segment(
                name, place, sizes.get(name), found, cached.get(name), paths.get((name.owner, name.name), ())
            )
            made.append(segment.made(first, large_blocks, times))
    return made, dictionary


def _cached(samples: Sequence[Sample]) -> dict[SegmentName, tuple[float, float]]:
    """The most that any sample found in one instance's caches."""
    found: dict[SegmentName, tuple[float, float]] = {}
    for one in samples:
        for name, blocks in one.cached.items():
            found[name] = max(found.get(name, (0.0, 0.0)), blocks)
    return found


def _paths(samples: Sequence[Sample]) -> dict[tuple[str, str], Sequence[Path]]:
    """Of the last sample of each instance: plans that were pushed out before are in none."""
    last = {one.instance_number: one for one in samples}
    found: dict[tuple[str, str], list[Path]] = {}
    for one in last.values():
        for key, some in one.paths.items():
            found.setdefault(key, []).extend(some)
    return {key: tuple(some) for key, some in found.items()}


@dataclass(frozen=True)
class _Segment:
    name: SegmentName
    place: Place
    size: int | None
    counts: Counts
    cached: tuple[float, float] | None
    paths: Sequence[Path]

    def made(self, sample: Sample, large_blocks: float | None, times: _Times) -> StorageObject:
        """The object."""
        most = _LARGE_BYTES_MAX / sample.block_bytes
        blocks, requests = self.counts["blocks_read"], self.counts["read_requests"]
        reads = by_requests(max(blocks, requests), requests, large_blocks, most)
        by_sessions, background = self._writes(most)
        logical = self.counts["logical_reads"]
        optimized = self.counts["optimized_reads"] / requests if requests else None
        lives, why = self._in_cache(sample, blocks, logical)
        mean = reads.large_blocks_mean
        return StorageObject(
            name=self.name.words,
            kind=self._kind,
            parent=self.name.whole,
            size_bytes=self.size,
            tier=self.place.tablespace,
            small_reads=reads.small.value,
            large_reads=reads.large.value,
            large_read_bytes_mean=None if mean is None else mean * sample.block_bytes,
            small_writes=by_sessions.value,
            background_writes=background.value,
            write_bytes=self.counts["blocks_written"] * sample.block_bytes,
            cached_share=min(1.0, optimized) if optimized else 0.0,
            hit_share=max(0.0, 1.0 - blocks / logical) if logical else None,
            lives_in_cache=lives,
            read_s=_seconds(reads, times),
            bounds=self._bounds(reads, by_sessions, background),
            evidence="; ".join(part for part in (self._counted(), self._reached(), why) if part),
        )

    @property
    def _kind(self) -> ObjectKind:
        kind = self.place.object_type
        if "LOB" in kind:
            return "lob"
        if "PARTITION" in kind:
            return "partition"
        return "table" if kind.startswith("TABLE") else "index" if kind.startswith("INDEX") else "other"

    def _writes(self, most: float) -> tuple[Between, Between]:
        """Direct writes are waited for by the session that makes them; of their requests only the blocks are counted."""
        requests, direct = self.counts["write_requests"], self.counts["blocks_written_direct"]
        by_sessions = Between(min(requests, direct / most), min(requests, direct))
        return by_sessions, by_sessions.taken_from(requests)

    def _bounds(self, reads: Reads, by_sessions: Between, background: Between) -> tuple[CountBound, ...]:
        size = () if self.size is not None else (CountBound(count="size_bytes", low=0.0, high=None),)
        return (
            *reads.small.bound("small_reads"),
            *reads.large.bound("large_reads"),
            *by_sessions.bound("small_writes"),
            *background.bound("background_writes"),
            *size,
        )

    def _in_cache(self, sample: Sample, blocks: float, logical: float) -> tuple[bool | None, str]:
        """By size and history; and by what lies in the cache at the moment."""
        found = in_cache(
            self.size, sample.cache_bytes, sample.block_bytes, blocks, max(0.0, logical - blocks)
        )
        if found.lives is False or self.size is None or self.cached is None:
            return found.lives, found.reason
        share = self.cached[0] * sample.block_bytes / self.size
        if share >= _CACHED_SHARE_MIN:
            return True, f"{100 * min(1.0, share):.0f} % of its blocks are in the buffer cache"
        return found.lives, found.reason

    def _counted(self) -> str:
        blocks, requests, scans = (self.counts[one] for one in ("blocks_read", "read_requests", "scans"))
        said = f"{blocks:,.0f} blocks read in {requests:,.0f} requests, {scans:,.0f} scans"
        if self.cached is not None and self.cached[1]:
            said += f", {self.cached[1]:,.0f} blocks in the flash cache"
        return said

    def _reached(self) -> str:
        """The plans that reach it, most disk reads first."""
        most = sorted(self.paths, key=lambda one: -one.disk_reads)[:_PATHS_SHOWN]
        said = [
            f"{one.operation} {one.options} in {one.statements:,.0f} statements, {one.executions:,.0f} executions"
            for one in most
        ]
        return "; ".join(said)


def _seconds(reads: Reads, times: _Times) -> float | None:
    small, large = reads.small.value, reads.large.value
    if small is None or large is None:
        return None
    if (small and times.small_us is None) or (large and times.large_us is None):
        return None
    return (small * (times.small_us or 0.0) + large * (times.large_us or 0.0)) / 1e6


def _spaces(group: Sequence[Span], samples: Sequence[Sample]) -> Iterator[StorageObject]:
    """Temporary and undo tablespaces."""
    spaces = {name: found for one in samples for name, found in one.spaces.items()}
    temp = [(name, size) for name, (contents, size) in sorted(spaces.items()) if contents == "TEMPORARY"]
    if temp:
        yield _temp(group, temp)
    undo = _added(pair for span in group for pair in _undo(span))
    for name, (contents, size) in sorted(spaces.items()):
        if contents == "UNDO":
            found = undo.get(SegmentName("", name), {})
            yield StorageObject(
                name=f"tablespace {name}",
                kind="undo",
                size_bytes=size,
                tier=name,
                small_reads=found.get("read_requests", 0.0),
                large_reads=0.0,
                small_writes=0.0,
                background_writes=found.get("write_requests", 0.0),
                write_bytes=found.get("blocks_written", 0.0) * group[0].last.block_bytes,
                cached_share=0.0,
                evidence="undo segments of the tablespace together",
            )


def _undo(span: Span) -> Iterator[tuple[SegmentName, Counts]]:
    """Undo segments, by their tablespace."""
    for name, counts in span.segments():
        place = span.last.places[name]
        if "UNDO" in place.object_type:
            yield SegmentName("", place.tablespace), counts


def _temp(group: Sequence[Span], spaces: Sequence[tuple[str, int]]) -> StorageObject:
    """All temporary tablespaces as one: nothing counts I/O of each."""
    found = [span.files("Temp File") for span in group]
    known = [one for one in found if one is not None]
    added = {name: sum(one[name] for one in known) for name in known[0]} if known else None
    seconds = [sum(span.wait(event)[1] for span in group) for event in _TEMP_EVENTS]
    names = ", ".join(name for name, _ in spaces)
    return StorageObject(
        name=f"temporary tablespace {names}" if len(spaces) == 1 else f"temporary tablespaces {names}",
        kind="temp",
        size_bytes=sum(size for _, size in spaces),
        tier=spaces[0][0],
        small_reads=None if added is None else added["small_reads"],
        large_reads=None if added is None else added["large_reads"],
        large_read_bytes_mean=added["large_read_mib"] * _MIB / added["large_reads"]
        if added and added["large_reads"]
        else None,
        small_writes=None if added is None else added["small_writes"] + added["large_writes"],
        background_writes=0.0,
        write_bytes=None if added is None else (added["small_write_mib"] + added["large_write_mib"]) * _MIB,
        cached_share=0.0,
        read_s=seconds[0],
        write_s=seconds[1],
        evidence="V$IOSTAT_FILE, temporary files; waits for 'direct path read temp' and 'direct path write temp'",
    )


def _redo(group: Sequence[Span]) -> Iterator[StorageObject]:
    writes = _sum(span.statistic("redo writes") for span in group)
    if writes is None:
        return
    waits = [span.wait("log file sync") for span in group]
    commits = sum(one[0] for one in waits)
    size = {thread: found for span in group for thread, found in span.last.log_bytes.items()}
    yield StorageObject(
        name=REDO,
        kind="redo",
        size_bytes=sum(size.values()) or None,
        tier=None,
        small_reads=0.0,
        large_reads=0.0,
        small_writes=commits,
        background_writes=writes,
        write_bytes=_sum(span.statistic("redo size") for span in group),
        cached_share=0.0,
        write_s=sum(one[1] for one in waits),
        evidence="waits for 'log file sync', redo writes and redo size",
    )


def _busy(group: Sequence[Span]) -> float | None:
    busy, idle = (_sum(span.host(name) for span in group) for name in ("BUSY_TIME", "IDLE_TIME"))
    return busy / (busy + idle) if busy is not None and idle is not None and busy + idle > 0 else None


def _unseen(group: Sequence[Span], blocks: float) -> Iterator[UnseenShare]:
    """Of the blocks that the instances read, temporary ones left out, what no segment here stands for."""
    every = _sum(span.statistic("physical reads") for span in group)
    temp = _sum(span.statistic("physical reads direct temporary tablespace") for span in group) or 0.0
    share = None if not every else max(0.0, 1.0 - (blocks + temp) / every)
    yield UnseenShare(count="small_reads", share=share)
    yield UnseenShare(count="large_reads", share=share)


def _notes(group: Sequence[Span], dictionary: float) -> Iterator[Note]:
    alone = [span.last.file for span in group if span.first is None]
    if alone:
        message = (
            f"{', '.join(alone)}: one sample alone, so that its counts are of all the time since the instance started; run "
            "objects.sql again, and give both"
        )
        yield Note(code="since-startup", message=message)
    yield from _left_out(dictionary)


def _left_out(dictionary: float) -> Iterator[Note]:
    if dictionary:
        message = (
            f"{dictionary:,.0f} blocks were read of segments in SYSTEM and SYSAUX, which are no objects here"
        )
        yield Note(code="dictionary-left-out", message=message)


def _of_history(samples: Sequence[Sample]) -> list[Inventory]:
    """An inventory for each snapshot of AWR, over instances."""
    by_snap: dict[int, dict[HistoryKey, Mapping[SegmentName, Counts]]] = {}
    for one in samples:
        for key, counts in one.history.items():
            by_snap.setdefault(key.snap_id, {})[key] = counts
    return [_of_snap(found, samples) for _, found in sorted(by_snap.items())]


def _of_snap(
    found: Mapping[HistoryKey, Mapping[SegmentName, Counts]], samples: Sequence[Sample]
) -> Inventory:
    counts = _added(pair for one in found.values() for pair in one.items())
    keys = sorted(found, key=lambda key: key.instance_number)
    first = samples[0]
    objects, dictionary = _objects(
        counts, _places(samples), _sizes(samples), samples, first, None, _Times(None, None)
    )
    seconds = [(key.end - key.begin).total_seconds() for key in keys]
    return Inventory(
        objects=tuple(sorted(objects, key=lambda one: one.name)),
        interval_s=sum(seconds) / len(seconds),
        cache_bytes=first.cache_bytes,
        clustered=first.clustered,
        instance=", ".join(str(key.instance_number) for key in keys),
        begin_time=min(key.begin for key in keys).isoformat(),
        end_time=max(key.end for key in keys).isoformat(),
        unseen=(UnseenShare(count="small_reads", share=None), UnseenShare(count="large_reads", share=None)),
        source=f"AWR of {first.db_name}, snapshot {keys[0].snap_id}",
        notes=tuple(_left_out(dictionary)),
    )
