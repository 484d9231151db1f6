"""Objects of a PostgreSQL database, from two looks at its counters.

| figure | where it is from |
|---|---|
| reads | blocks that a relation read, by the server's own count |
| small and large | between bounds; what the server read in scans decides: through a ring (16 and later), and others (18) |
| seconds of reads | of 18 by what sessions were seen waiting for; else blocks × (read time ÷ (bytes read ÷ block size)) of |
| | sessions, of 16 and later by the row that counts them |
| writes | nothing counts them by relation: the server's, shared out by the blocks that can have been dirtied |
| log | its writes and syncs by sessions |
| temporary files | bytes written; read, where pg_stat_statements counts it |

A table's blocks beyond those that its index scans and changes can have touched were scanned, and those beyond scans × its size were
not. `reads` of pg_stat_io are blocks in 16 and 17 and requests in 18; bytes are bytes in all.

A TOAST table moves with its table, and its index with it. Reads of catalogs and of other databases are the unseen share. Source:
PostgreSQL manual, "Monitoring database activity".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from plimsoll.databases import ObjectsLook, ReadWaits, RelationLook, database_id
from plimsoll.demand.deltas import Delta
from plimsoll.facts import CountBound, Database, Inventory, Note, StorageObject
from plimsoll.facts.placement import AccessCount, ObjectKind
from plimsoll.placement.objects._postgres_server import SCANNED, SESSIONS, Server, time_ms
from plimsoll.placement.objects.access import Between, InCache, in_cache

TEMPORARY, LOG = "temporary files", "WAL"
"""Names of the units that are no relations."""
DATA_TABLESPACE = "pg_default"
"""Where the data directory lies, and the log in it."""
_KINDS: Mapping[str, ObjectKind] = {"r": "table", "m": "table", "i": "index", "t": "toast", "S": "other"}
_READERS_SHOWN = 3
_COUNTERS = (
    "blocks_read",
    "blocks_hit",
    "scans",
    "rows_fetched",
    "rows_inserted",
    "rows_updated",
    "rows_hot_updated",
    "rows_deleted",
    "maintenance_runs",
)


@dataclass(frozen=True)
class Host:
    """The server's host, where it is this one."""

    busy_share: float | None = None
    cpus: float | None = None


def inventory(
    database: Database,
    before: ObjectsLook,
    after: ObjectsLook,
    delta: Delta,
    os_cached_share: float | None,
    host: Host,
    waits: ReadWaits | None = None,
) -> Inventory:
    """What each object was asked for between the two looks, of which `delta` is the difference of the server's counters.

    `waits` is what sessions were seen waiting for meanwhile; None where the server does not show it.
    `os_cached_share` of what the server read was answered by the operating system's cache; None: not known. Where waits were seen,
    each object's seconds say how much of it is its own.
    """
    gains = _gains(before, after)
    server = Server(database, before, after, delta, gains, _placed(waits, after))
    is_told_by_seconds = os_cached_share is not None and not database.direct_io and server.waits_seen > 0
    share_of_each = None if is_told_by_seconds else os_cached_share
    objects = [_object(server, gain, share_of_each) for gain in gains if not gain.is_catalog]
    objects += [_temporary(server), _log(server)]
    return Inventory(
        objects=tuple(sorted(objects, key=lambda one: (-(one.read_s or 0.0), one.name))),
        interval_s=delta.duration_s,
        db_time_s=server.active_s,
        foreground_io_wait_s=server.waited_s,
        cpu_busy_share=host.busy_share,
        cpus=host.cpus,
        cache_bytes=server.cache_bytes,
        clustered=False,
        cached_read_share=os_cached_share if is_told_by_seconds else None,
        has_shared_read_times=True,
        begin_time=before.snapshot.taken_at.isoformat(timespec="seconds"),
        end_time=after.snapshot.taken_at.isoformat(timespec="seconds"),
        unseen=server.unseen(),
        database_id=_database_id(after),
        source=f"{database.name} at {database.location}, PostgreSQL {database.version}",
        notes=tuple(_notes(server, gains)),
    )


def _database_id(look: ObjectsLook) -> str | None:
    oid = look.server.database_oid
    return None if oid is None else database_id(look.snapshot.system_identifier, oid)


def _placed(waits: ReadWaits | None, after: ObjectsLook) -> ReadWaits | None:
    """With the waits for the index of a TOAST table among those for the table, which it is a part of."""
    if waits is None:
        return None
    toast = {one.oid for one in after.relations if one.relkind == "t"}
    whole = {
        one.oid: one.owner_oid for one in after.relations if one.relkind == "i" and one.owner_oid in toast
    }
    found: dict[int, float] = {}
    for oid, sessions in waits.by_relation.items():
        unit = whole.get(oid) or oid
        found[unit] = found.get(unit, 0.0) + sessions
    return replace(waits, by_relation=found)


def _gains(before: ObjectsLook, after: ObjectsLook) -> list[RelationLook]:
    """Relations with what they counted between the looks; the index of a TOAST table is part of it."""
    known = {one.oid: one for one in before.relations}
    gained = [_gain(known.get(one.oid), one) for one in after.relations]
    toast = {one.oid: one for one in gained if one.relkind == "t"}
    merged = dict(toast)
    for one in gained:
        if one.relkind == "i" and one.owner_oid in toast:
            merged[one.owner_oid] = _together(merged[one.owner_oid], one)
    return [merged.get(one.oid, one) for one in gained if one.owner_oid not in toast]


def _gain(old: RelationLook | None, new: RelationLook) -> RelationLook:
    """A relation whose counters are smaller than before was reset or made anew, so all that it has is gain."""
    if old is None or any(getattr(new, name) < getattr(old, name) for name in _COUNTERS):
        return new
    return replace(new, **{name: getattr(new, name) - getattr(old, name) for name in _COUNTERS})


def _together(one: RelationLook, index: RelationLook) -> RelationLook:
    return replace(
        one,
        size_bytes=(one.size_bytes or 0) + (index.size_bytes or 0),
        blocks_read=one.blocks_read + index.blocks_read,
        blocks_hit=one.blocks_hit + index.blocks_hit,
    )


def _object(server: Server, gain: RelationLook, os_cached_share: float | None) -> StorageObject:
    maintenance, in_large = server.maintenance(gain), server.large(gain)
    small, large = in_large.taken_from(server.read(gain)), in_large.over(server.large_blocks)
    foreground, background, write_bounds = _writes(server, gain)
    cached = in_cache(
        gain.size_bytes, server.cache_bytes, server.block_bytes, gain.blocks_read, gain.blocks_hit
    )
    touched = gain.blocks_read + gain.blocks_hit
    written = (
        None if foreground is None or background is None else (foreground + background) * server.block_bytes
    )
    return StorageObject(
        name=gain.full_name,
        kind=_KINDS[gain.relkind] if not gain.is_partition or gain.relkind == "i" else "partition",
        parent=_parent(gain),
        size_bytes=gain.size_bytes,
        tier=gain.tablespace_name,
        small_reads=small.value,
        large_reads=large.value,
        large_read_bytes_mean=server.large_blocks * server.block_bytes if large.high else None,
        small_writes=foreground,
        background_writes=background,
        write_bytes=written,
        cached_share=0.0 if server.database.direct_io else os_cached_share,
        hit_share=gain.blocks_hit / touched if touched else None,
        lives_in_cache=cached.lives,
        read_s=server.read_s(gain),
        bounds=(*small.bound("small_reads"), *large.bound("large_reads"), *write_bounds),
        evidence=_evidence(server, gain, maintenance, cached),
    )


def _parent(gain: RelationLook) -> str | None:
    """Of an index or a TOAST table its table; of a partition the whole."""
    if gain.owner_name is not None:
        return f"{gain.owner_schema_name}.{gain.owner_name}"
    return None if gain.whole_name is None else f"{gain.whole_schema_name}.{gain.whole_name}"


def _writes(server: Server, gain: RelationLook) -> tuple[float | None, float | None, tuple[CountBound, ...]]:
    """Foreground and background: the server's share of this database, by the blocks that can have been dirtied."""
    own = server.own_share_of_changes
    share = server.share_of_writes(gain)
    by_sessions, behind = server.written
    names: tuple[AccessCount, AccessCount] = ("small_writes", "background_writes")
    values: list[float | None] = []
    bounds: list[CountBound] = []
    for name, every in zip(names, (by_sessions, behind), strict=True):
        values.append(0.0 if every == 0 else None if every is None or own is None else every * own * share)
        if every is not None and every > 0:
            bounds.append(CountBound(count=name, low=0.0, high=every))
    return values[0], values[1], tuple(bounds)


def _evidence(server: Server, gain: RelationLook, maintenance: Between, cached: InCache) -> str:
    said = [f"{gain.blocks_read:,} blocks read and {gain.blocks_hit:,} found in the cache"]
    if gain.relkind in SCANNED:
        said.append(f"{gain.scans:,} scans, and {server.rows_by_index(gain):,} rows by index")
    elif gain.relkind == "i":
        said.append(f"used {gain.scans:,} times")
    changed = gain.rows_inserted + gain.rows_updated + gain.rows_deleted
    if changed:
        said.append(f"{changed:,} rows changed; writes are estimated by it")
    readers = server.readers.get(gain.full_name)
    if readers:
        said.append(f"named by the statements {', '.join(readers[:_READERS_SHOWN])} of pg_stat_statements")
    waited = server.waited_for(gain)
    if waited is not None:
        said.append(f"of {server.waits_seen:,.0f} waits for a read that were seen, {waited:,.0f} were for it")
    if maintenance.high:
        said.append(f"up to {maintenance.high:,.0f} of the blocks by vacuum and analyze")
    if cached.reason:
        said.append(cached.reason)
    return "; ".join(said)


def _temporary(server: Server) -> StorageObject:
    """Files of sorts and hashes, and temporary tables."""
    files_bytes = server.delta.totals.get("pg_stat_database.temp_bytes")
    rows = [row for row in server.delta.io if row.object == "temp relation"]
    of_tables = sum((row.write_bytes or 0) + (row.extend_bytes or 0) for row in rows)
    written = None if files_bytes is None else files_bytes + of_tables
    reads = _temp_reads(server, files_bytes)
    table_reads = sum(row.read_bytes or 0 for row in rows) / server.block_bytes
    reads = Between(reads[0] + table_reads, reads[1] + table_reads) if reads is not None else None
    sizes = [
        one
        for one in (server.before.server.temp_file_bytes, server.after.server.temp_file_bytes)
        if one is not None
    ]
    spaces = server.after.server.temp_tablespaces.split(",")[0].strip().strip('"')
    is_empty = files_bytes == 0 and sizes == [0, 0]
    bounds = [] if is_empty else [_temp_size(sizes, files_bytes)]
    if reads is None:
        bounds.append(CountBound(count="small_reads", low=table_reads, high=None))
    else:
        bounds += reads.bound("small_reads")
    return StorageObject(
        name=TEMPORARY,
        kind="temp",
        size_bytes=0 if is_empty else None,
        tier=spaces or server.after.server.tablespace_name,
        small_reads=None if reads is None else reads.value,
        large_reads=0.0,
        small_writes=None if written is None else written / server.block_bytes,
        background_writes=0.0,
        write_bytes=written,
        cached_share=None if files_bytes else 0.0,
        write_s=None,
        bounds=tuple(bounds),
        evidence=_temp_evidence(server, files_bytes),
    )


def _temp_size(sizes: Sequence[int], files_bytes: float | None) -> CountBound:
    """Files that ever lay there side by side: those of the first look, of the last, and those that were deleted meanwhile."""
    known = len(sizes) == 2 and files_bytes is not None
    high = sum(sizes) + (files_bytes or 0.0) if known else None
    return CountBound(count="size_bytes", low=float(max(sizes, default=0)), high=high)


def _temp_reads(server: Server, files_bytes: float | None) -> tuple[float, float] | None:
    """Blocks of temporary files that were read, low and high; None: not known."""
    if files_bytes == 0:
        return 0.0, 0.0
    first, last = server.before.statements, server.after.statements
    if first is None or last is None:
        return None
    read = last.temp_blocks_read - first.temp_blocks_read
    if read < 0 or last.forgotten != first.forgotten:
        return None
    return float(read), float(read)


def _temp_evidence(server: Server, files_bytes: float | None) -> str:
    written = "unknown" if files_bytes is None else f"{files_bytes / 1e6:,.1f} MB"
    reads = "reads of them as pg_stat_statements counts them"
    if server.before.statements is None:
        reads = "reads of them are unknown without pg_stat_statements"
    elif (
        server.after.statements is not None
        and server.after.statements.forgotten != server.before.statements.forgotten
    ):
        reads = "pg_stat_statements let statements go, so reads of them are unknown"
    return f"{written} written to temporary files that were deleted in the interval; {reads}"


def _log(server: Server) -> StorageObject:
    """Sessions wait for it once they force it; the log writer's own work is for nobody at that moment."""
    written = server.delta.totals.get("pg_wal.written_bytes")
    forced, behind, seconds = _log_writes(server)
    size = server.after.server.log_bytes
    return StorageObject(
        name=LOG,
        kind="wal",
        size_bytes=size,
        tier=DATA_TABLESPACE,
        small_reads=0.0,
        large_reads=0.0,
        small_writes=forced,
        background_writes=behind,
        write_bytes=written,
        cached_share=0.0,
        write_s=seconds,
        bounds=() if size is not None else (CountBound(count="size_bytes", low=0.0, high=None),),
        evidence="times that sessions forced the log to stable storage; it lies in the data directory unless pg_wal is a link",
    )


def _log_writes(server: Server) -> tuple[float | None, float | None, float | None]:
    """Times that sessions forced it, that others did, and the seconds of sessions in both writing and forcing."""
    by_sync = not server.settings.get("wal_sync_method", "").startswith("open_")
    timed = server.settings.get("track_wal_io_timing") == "on"
    if server.major < 18:
        count = server.delta.totals.get("pg_stat_wal.wal_sync" if by_sync else "pg_stat_wal.wal_write")
        parts = [
            server.delta.totals.get(f"pg_stat_wal.{name}") for name in ("wal_write_time", "wal_sync_time")
        ]
        return count, None, sum(one or 0.0 for one in parts) / 1000 if timed and None not in parts else None
    rows = [row for row in server.delta.io if row.object == "wal" and row.context == "normal"]
    sessions = [row for row in rows if row.backend in SESSIONS]
    others = [row for row in rows if row.backend not in SESSIONS]
    forced, behind = (
        float(sum((row.fsyncs if by_sync else row.writes) or 0 for row in some))
        for some in (sessions, others)
    )
    return forced, behind, sum(time_ms(row) for row in sessions) / 1000 if timed else None


def _notes(server: Server, gains: Sequence[RelationLook]) -> Iterator[Note]:
    yield from server.statement_notes
    every = server.blocks_read
    catalogs = sum(one.blocks_read for one in gains if one.is_catalog)
    own = sum(one.blocks_read for one in gains)
    if every:
        elsewhere = max(0.0, every - own)
        message = (
            f"of {every:,.0f} blocks that the server read, {catalogs:,} were of this database's catalogs and {elsewhere:,.0f} of "
            "other databases and shared catalogs: neither is an object here"
        )
        yield Note(code="reads-unseen", message=message)
    if server.own_share_of_changes is None and any(server.written):
        yield Note(
            code="writes-unshared",
            message="no row was changed that the server has counted, so that what it wrote is no object's",
        )
    yield from server.wait_notes()
    if server.block_read_s is None and own:
        yield Note(
            code="read-time-unknown",
            message="the server did not time its reads: seconds of reads are unknown",
        )
