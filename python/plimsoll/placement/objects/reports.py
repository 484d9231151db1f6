"""Objects of a Statspack or AWR report: segments where its lists show most of a tablespace, else tablespaces, else types of file.

What a list does not show is the unseen share, which belongs to no object. Tables that statements name and no list shows are
candidates whose reads are bounded by those of the statements, and by what is unseen. Temporary space, undo and redo are units.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plimsoll.base.errors import PlimsollError
from plimsoll.facts import CacheSize, CountBound, Inventory, Note, Report, StorageObject, UnseenShare
from plimsoll.facts.placement import AccessCount
from plimsoll.native import reports as native
from plimsoll.placement.objects._figures import Figures, Waited
from plimsoll.placement.objects._segments import Segment, Segments, logical_reads, segments_of
from plimsoll.placement.objects._tablespaces import DICTIONARY, Space, spaces_of
from plimsoll.placement.objects.access import UNKNOWN, Between, Reads, by_requests, in_cache
from plimsoll.placement.objects.statements import NamedTables, Statement, tables_of
from plimsoll.reports.figures.evidence import plain
from plimsoll.reports.figures.interval import PRINTED_KINDS
from plimsoll.reports.figures.quantity import Quantity
from plimsoll.reports.intervals import place_of

__all__ = ["DATA_FILES", "REDO", "TEMPORARY", "NoInventory", "Waited", "inventory"]

REDO, TEMPORARY, DATA_FILES = "redo log", "temporary files", "data files"
"""Names of the units that no list names."""
_SHOWN_MIN = 0.5
"""Of the blocks that a tablespace read, what its listed segments must have read to stand for it."""
_STATEMENTS_READ = "physical reads"
_ORACLE = "oracle"


@dataclass(frozen=True)
class NoInventory:
    """Why a report gives no objects."""

    reason: str


@dataclass
class _Made:
    """Objects so far, and the blocks of reads and the writes that they stand for."""

    objects: list[StorageObject] = field(default_factory=list[StorageObject])
    blocks: float = 0.0
    writes: float | None = 0.0
    notes: list[Note] = field(default_factory=list[Note])


def inventory(
    report: Report, content: native.Report | None, waited: Waited, sizes: Mapping[str, int] | None = None
) -> Inventory | NoInventory:
    """The objects of a report, or why there are none. `sizes` are bytes by the name of an object."""
    if content is None or report.kind not in PRINTED_KINDS:
        return NoInventory(f"a report of kind {report.kind} counts no I/O by object")
    figures = Figures(report, content, waited)
    if figures.elapsed_s is None:
        return NoInventory("the report prints no elapsed time, so that nothing is known of its interval")
    spaces, segments = spaces_of(figures), segments_of(figures)
    made = _Made()
    _add_spaces(made, figures, spaces, segments)
    _add_units(made, figures, spaces)
    if not _is_read(made):
        return NoInventory(_why_none(figures))
    _add_statements(made, figures)
    return Inventory(
        objects=tuple(_with_size(one, figures, sizes or {}) for one in made.objects),
        interval_s=figures.elapsed_s,
        db_time_s=waited.db_time_s,
        foreground_io_wait_s=waited.io_s,
        cpu_busy_share=waited.busy_share,
        cpus=waited.cpus,
        cache_bytes=figures.cache_bytes,
        cache_sizes=tuple(_cache_sizes(figures)),
        clustered=report.kind == "awr-global" or report.rac,
        instance=report.instance,
        begin_time=report.begin_time,
        end_time=report.end_time,
        unseen=_unseen(made, figures),
        source=f"{place_of(report)}, {report.kind} of {report.db_name or 'a database without a name'}",
        notes=(*made.notes, *_notes(made, figures, sizes or {})),
    )


def _is_read(made: _Made) -> bool:
    """Whether any object is one of data: the log alone is nothing to place."""
    return any(one.kind != "redo" for one in made.objects)


def _why_none(figures: Figures) -> str:
    if figures.evidence.rows("segments"):
        return (
            "the report prints I/O of segments alone, and all of them lie in SYSTEM and SYSAUX, or have none"
        )
    names = {
        "segments": "segments",
        "tablespace_io": "tablespaces",
        "file_io": "files",
        "iostat_by_filetype": "types of file",
    }
    empty = [words for view, words in names.items() if not figures.evidence.rows(view)]
    return (
        f"the report prints no I/O of {', '.join(empty[:-1])} or {empty[-1]}"
        if len(empty) > 1
        else "it counts no I/O"
    )


def _add_spaces(made: _Made, figures: Figures, spaces: Sequence[Space], segments: Segments) -> None:
    """Each tablespace, or its segments; segments of tablespaces that are not printed are objects as well."""
    taken: set[int] = set()
    for space in spaces:
        inside = segments.of_space(space)
        shown = sum(segments.blocks_of(one) for one in inside)
        if (
            inside
            and space.kind == "other"
            and not space.is_dictionary
            and shown >= _SHOWN_MIN * (space.blocks or 0.0)
        ):
            _add_segments(made, figures, segments, inside, space)
        elif space.requests or space.writes:
            _add(made, _of_space(figures, space, inside, segments), space.blocks, space.writes)
        taken |= {id(one) for one in inside}
    rest = [
        one for one in segments.found if id(one) not in taken and one.tablespace.upper() not in DICTIONARY
    ]
    _add_segments(made, figures, segments, rest, None)


def _add(made: _Made, one: StorageObject, blocks: float | None, writes: float | None) -> None:
    made.objects.append(one)
    made.blocks += blocks or 0.0
    made.writes = None if made.writes is None or writes is None else made.writes + writes


def _add_segments(
    made: _Made, figures: Figures, segments: Segments, found: Sequence[Segment], space: Space | None
) -> None:
    for segment in found:
        by_sessions, background = segments.writes(segment, figures)
        _add(
            made,
            _of_segment(figures, segments, segment, space, by_sessions, background),
            segments.blocks_of(segment),
            _taken(by_sessions) + _taken(background),
        )


def _taken(one: Between) -> float:
    """What is taken for a figure where it has to be a number."""
    return one.low if one.value is None else one.value


def _of_segment(
    figures: Figures,
    segments: Segments,
    segment: Segment,
    space: Space | None,
    by_sessions: Between,
    background: Between,
) -> StorageObject:
    mean = None if space is None else space.reads.large_blocks_mean
    reads = segments.reads(segment, figures, mean)
    touched = logical_reads(segments, segment)
    blocks = segments.count(segment, "physical reads")
    hit = None
    if touched and blocks.is_exact:
        hit = max(0.0, 1.0 - blocks.high / touched)
    written = segments.count(segment, "physical writes")
    return StorageObject(
        name=segment.key.words,
        kind=segment.kind,
        parent=segment.key.whole,
        size_bytes=None,
        tier=segment.tablespace or None,
        **_counts(reads, figures.block_bytes),
        small_writes=by_sessions.value,
        background_writes=background.value,
        write_bytes=written.high * figures.block_bytes if written.is_exact else None,
        cached_share=0.0 if space is None else space.flash_share or 0.0,
        hit_share=hit,
        read_s=None if space is None else _seconds(reads, space),
        bounds=(
            *_read_bounds(reads),
            *by_sessions.bound("small_writes"),
            *background.bound("background_writes"),
        ),
        evidence=_listed(segment),
    )


def _counts(reads: Reads, block_bytes: int) -> dict[str, Any]:
    mean = reads.large_blocks_mean
    return {
        "small_reads": reads.small.value,
        "large_reads": reads.large.value,
        "large_read_bytes_mean": None if mean is None else mean * block_bytes,
    }


def _read_bounds(reads: Reads) -> tuple[CountBound, ...]:
    return (*reads.small.bound("small_reads"), *reads.large.bound("large_reads"))


def _seconds(reads: Reads, space: Space) -> float | None:
    """At the times of its tablespace."""
    small, large = reads.small.value, reads.large.value
    if small is None or large is None or space.small_us is None:
        return None
    if large and space.large_us is None:
        return None
    return (small * space.small_us + large * (space.large_us or 0.0)) / 1e6


def _listed(segment: Segment) -> str:
    counts = ", ".join(f"{name} {value:,.0f}" for name, value in segment.counts.items())
    return f"Segments by …: {counts}"


def _of_space(figures: Figures, space: Space, inside: Sequence[Segment], segments: Segments) -> StorageObject:
    by_sessions = space.kind == "temp"
    shown = sum(segments.blocks_of(one) for one in inside)
    said = [space.source]
    if inside and space.blocks:
        names = ", ".join(
            one.key.words for one in sorted(inside, key=lambda one: -segments.blocks_of(one))[:3]
        )
        said.append(
            f"the lists show segments of {100 * min(1.0, shown / space.blocks):.0f} % of its blocks: {names}"
        )
    if space.kind != "other":
        said.append(f"taken for {space.kind} by its name")
    if space.flash_share:
        said.append(f"{100 * space.flash_share:.0f} % of its reads were answered by flash already")
    return StorageObject(
        name=f"tablespace {space.name}",
        kind=space.kind,
        size_bytes=None,
        tier=space.name,
        **_counts(space.reads, figures.block_bytes),
        small_writes=space.writes if by_sessions else 0.0 if space.writes is not None else None,
        background_writes=0.0 if by_sessions else space.writes,
        cached_share=space.flash_share or 0.0,
        read_s=_seconds(space.reads, space) if space.read_s is None else space.read_s,
        bounds=_read_bounds(space.reads),
        evidence="; ".join(said),
    )


def _add_units(made: _Made, figures: Figures, spaces: Sequence[Space]) -> None:
    """The log; temporary and data files by the type of file, where no tablespace says it."""
    if not any(space.kind == "temp" for space in spaces):
        temp = _of_filetype(figures, "Temp File", TEMPORARY)
        if temp is not None:
            _add(made, temp, _blocks(temp, figures), temp.small_writes)
    if not made.objects or all(one.kind == "temp" for one in made.objects):
        data = _of_filetype(figures, "Data File", DATA_FILES)
        if data is not None:
            made.notes.append(Note(code="files-alone", message=_FILES_ALONE))
            _add(made, data, _blocks(data, figures), data.background_writes)
    redo = _redo(figures)
    if redo is not None:
        made.objects.append(redo)


_FILES_ALONE = "the report prints I/O by type of file only: the data files are one object, of which no part is told from another"


def _blocks(one: StorageObject, figures: Figures) -> float:
    size = one.large_read_bytes_mean or figures.block_bytes
    return (one.small_reads or 0.0) + (one.large_reads or 0.0) * size / figures.block_bytes


def _of_filetype(figures: Figures, filetype: str, name: str) -> StorageObject | None:
    """One unit of all files of a type; None where the table has no line for it."""
    counters = figures.counters
    found = {
        column: counters.iostat("iostat_by_filetype", filetype, column)
        for column in (
            "reads_per_s",
            "read_bytes_per_s",
            "writes_per_s",
            "write_bytes_per_s",
            "small_read_us",
            "large_read_us",
        )
    }
    reads, size = (figures.over_interval(_value(found[name])) for name in ("reads_per_s", "read_bytes_per_s"))
    writes, written = (
        figures.over_interval(_value(found[name])) for name in ("writes_per_s", "write_bytes_per_s")
    )
    if not reads and not writes:
        return None
    by_size = _of_bytes(figures, reads, size)
    is_temp = filetype == "Temp File"
    return StorageObject(
        name=name,
        kind="temp" if is_temp else "other",
        size_bytes=None,
        tier=None,
        **_counts(by_size, figures.block_bytes),
        small_writes=writes if is_temp else 0.0,
        background_writes=0.0 if is_temp else writes,
        write_bytes=written,
        cached_share=0.0,
        read_s=_served_s(by_size, _value(found["small_read_us"]), _value(found["large_read_us"])),
        bounds=_read_bounds(by_size),
        evidence="IOStat by Filetype",
    )


def _of_bytes(figures: Figures, reads: float | None, size: float | None) -> Reads:
    if reads is None or size is None:
        return Reads(
            UNKNOWN if reads is None else Between(0.0, reads),
            UNKNOWN if reads is None else Between(0.0, reads),
        )
    blocks = max(reads, size / figures.block_bytes)
    return by_requests(blocks, reads, figures.large_blocks, figures.large_blocks_max)


def _value(found: Quantity | None) -> float | None:
    return None if found is None else found.value


def _served_s(reads: Reads, small_us: float | None, large_us: float | None) -> float | None:
    small, large = reads.small.value, reads.large.value
    if small is None or large is None or (small and small_us is None) or (large and large_us is None):
        return None
    return (small * (small_us or 0.0) + large * (large_us or 0.0)) / 1e6


def _redo(figures: Figures) -> StorageObject | None:
    """What commits wait for."""
    commits, seconds = figures.wait("log file sync")
    writes, size = figures.total("redo writes"), figures.total("redo size")
    if commits is None and writes is None:
        return None
    return StorageObject(
        name=REDO,
        kind="redo",
        size_bytes=None,
        tier=None,
        small_reads=0.0,
        large_reads=0.0,
        small_writes=commits,
        background_writes=writes,
        write_bytes=size,
        cached_share=0.0,
        write_s=seconds,
        evidence="waits for 'log file sync', redo writes and redo size",
    )


def _add_statements(made: _Made, figures: Figures) -> None:
    """Tables that statements name and no list shows; a view or a synonym may be among them."""
    statements = _statements(figures)
    unseen = _unseen_blocks(made, figures)
    if not statements:
        return
    try:
        named = tables_of(statements, _ORACLE)
    except PlimsollError as error:
        made.notes.append(Note(code="statements-unread", message=f"{error.message}: {error.hint}"))
        return
    known = {part for one in made.objects for part in (one.name, one.parent or "")}
    known |= {name.rpartition(".")[2] for name in known}
    for table in sorted(named.tables.values(), key=lambda one: (-one.blocks_max, one.name)):
        if table.name not in known and table.name.rpartition(".")[2] not in known:
            most = table.blocks_max if unseen is None else min(table.blocks_max, unseen)
            made.objects.append(_candidate(table.name, most, table.statements))
    made.notes += _about(named)


def _statements(figures: Figures) -> list[Statement]:
    """Those of the list by physical reads, each once, with their whole text where the report has it."""
    whole = {row["sql_id"]: row["sql_text"] for row in figures.evidence.rows("sql_text") if row["sql_text"]}
    found: dict[str, Statement] = {}
    for row in figures.evidence.rows("sql"):
        blocks = figures.number("sql", row, "physical_reads")
        name = row["sql_id"] or row["old_hash_value"]
        text = whole.get(row["sql_id"]) or row["sql_text"]
        if plain(row["ordered_by"] or "") == _STATEMENTS_READ and blocks and name and text:
            found.setdefault(name, Statement(name, text, blocks))
    return list(found.values())


def _candidate(name: str, blocks_max: float, statements: Sequence[str]) -> StorageObject:
    some = ", ".join(statements[:3])
    return StorageObject(
        name=name,
        kind="table",
        size_bytes=None,
        tier=None,
        small_reads=None,
        large_reads=None,
        small_writes=None,
        bounds=(
            CountBound(count="small_reads", low=0.0, high=blocks_max),
            CountBound(count="large_reads", low=0.0, high=blocks_max / 2.0),
        ),
        evidence=f"named by {len(statements):,} of the statements with most reads ({some}), and no list shows it: its reads are "
        "bounded by theirs and by what is unseen",
    )


def _about(named: NamedTables) -> Iterator[Note]:
    if named.unread:
        every = named.read + named.unread
        message = f"{named.unread} of the {every} statements with most reads could not be read as SQL"
        yield Note(code="statements-unread", message=message)


def _unseen_blocks(made: _Made, figures: Figures) -> float | None:
    return None if figures.blocks_read is None else max(0.0, figures.blocks_read - made.blocks)


def _unseen(made: _Made, figures: Figures) -> tuple[UnseenShare, ...]:
    """Of the blocks that all files were read for, what no object stands for; of writes the same."""
    blocks = _unseen_blocks(made, figures)
    reads = None if blocks is None or not figures.blocks_read else blocks / figures.blocks_read
    every = figures.total("physical write IO requests") or figures.blocks_written
    writes = None if made.writes is None or not every else max(0.0, 1.0 - made.writes / every)
    shares: tuple[tuple[AccessCount, float | None], ...] = (
        ("small_reads", reads), ("large_reads", reads), ("background_writes", writes),
    )  # fmt: skip
    return tuple(UnseenShare(count=count, share=share) for count, share in shares)


def _cache_sizes(figures: Figures) -> Iterator[CacheSize]:
    """The advice on the default pool; what is printed counts from the start of the instance, so its factors are taken."""
    for row in figures.evidence.rows("buffer_pool_advisory"):
        factor = figures.number("buffer_pool_advisory", row, "physical_read_factor")
        if row["pool"] == "D" and row["size_bytes"] and factor is not None and figures.blocks_read:
            yield CacheSize(cache_bytes=int(row["size_bytes"]), physical_reads=factor * figures.blocks_read)


def _with_size(one: StorageObject, figures: Figures, sizes: Mapping[str, int]) -> StorageObject:
    """With its bytes where they were given; then what the cache makes of it is known as well."""
    size = sizes.get(one.name)
    if size is None:
        bound = CountBound(count="size_bytes", low=0.0, high=None)
        return one.model_copy(update={"bounds": (*one.bounds, bound)})
    if one.kind in ("temp", "undo", "redo"):
        return one.model_copy(update={"size_bytes": size})
    blocks = None if one.small_reads is None or one.large_reads is None else _blocks(one, figures)
    hits = (
        None
        if blocks is None or one.hit_share in (None, 1.0)
        else blocks * one.hit_share / (1.0 - one.hit_share)
    )
    cached = in_cache(size, figures.cache_bytes, figures.block_bytes, blocks, hits)
    evidence = "; ".join(part for part in (one.evidence, cached.reason) if part)
    return one.model_copy(update={"size_bytes": size, "lives_in_cache": cached.lives, "evidence": evidence})


def _notes(made: _Made, figures: Figures, sizes: Mapping[str, int]) -> Iterator[Note]:
    unknown = [one.name for one in made.objects if one.name not in sizes]
    if unknown:
        message = (
            f"reports print no sizes: {len(unknown)} of {len(made.objects)} objects have none, the first '{unknown[0]}'; "
            "give them with --sizes FILE.csv, columns object and bytes"
        )
        yield Note(code="sizes-unknown", message=message)
    unused = sorted(set(sizes) - {one.name for one in made.objects})
    if unused:
        yield Note(
            code="sizes-unused", message=f"{len(unused)} sizes are of no object here, the first '{unused[0]}'"
        )
    unseen = _unseen_blocks(made, figures)
    if unseen is not None and figures.blocks_read:
        share = 100 * unseen / figures.blocks_read
        message = f"{share:.0f} % of the {figures.blocks_read:,.0f} blocks read belong to no object here"
        yield Note(code="reads-unseen", message=message)
