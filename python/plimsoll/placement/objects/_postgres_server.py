"""What a PostgreSQL server's counters say of its relations: reads, writes, scans, and what of them is nobody's here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from plimsoll.base.errors import PlimsollError
from plimsoll.databases import ObjectsLook, ReadWaits, RelationLook, StatementsLook, setting_bytes
from plimsoll.demand.deltas import Delta
from plimsoll.facts import Database, IoCounters, Note, UnseenShare
from plimsoll.facts.placement import AccessCount
from plimsoll.placement.objects._postgres_reads import (
    RING_SHARE_OF_CACHE,
    blocks_in_large_reads,
    read_rows,
    read_times,
)
from plimsoll.placement.objects.access import Between
from plimsoll.placement.objects.statements import Statement, tables_of

SESSIONS = ("client backend", "background worker", "standalone backend")
"""A background worker of a session reads for a parallel query that somebody waits for."""
_KERNEL_READS_AHEAD_BYTES = 128 * 1024
"""Before 17 a scan asks for one block after the other, and the kernel reads ahead (its default)."""
_COMBINED_BYTES = 128 * 1024
"""io_combine_limit of 17 and 18, as it is set unless somebody changed it."""
_WAITS_SEEN_MIN = 100.0
"""Of fewer waits that were seen, the share of an object that has half of them is uncertain by more than 5 of 100."""
_WAITS_OFF_MAX = 0.25
"""Seconds that sessions were seen waiting, against those that the server counted."""
_SCANNED_BLOCKS_MIN = 1000.0
"""Of scans through a ring, from which on the mean size of their reads is taken for that of any scan."""
SCANNED = ("r", "m")


class Server:
    """What the whole server did, as far as it says something about its relations."""

    def __init__(
        self,
        database: Database,
        before: ObjectsLook,
        after: ObjectsLook,
        delta: Delta,
        gains: Sequence[RelationLook],
        waits: ReadWaits | None = None,
    ) -> None:
        self._waits = waits if waits is not None and waits.sessions >= _WAITS_SEEN_MIN else None
        self._waits_problem = None if waits is None else waits.problem
        self.database, self.before, self.after, self.delta = database, before, after, delta
        self.block_bytes = database.block_bytes or 8192
        self.major = database.version_number // 10000
        self.settings = database.settings
        self.cache_bytes = setting_bytes(self.settings.get("shared_buffers"))
        relation_io = [row for row in delta.io if row.object == "relation"]
        sessions_io = [row for row in relation_io if row.backend in SESSIONS]
        self._rows, self._session_rows = (
            read_rows(rows, self.block_bytes) for rows in (relation_io, sessions_io)
        )
        self._relation_io = relation_io
        maintenance_io = [
            row for row in relation_io if row.context == "vacuum" or row.backend not in SESSIONS
        ]
        self._maintenance_blocks = sum(row.read_bytes or 0 for row in maintenance_io) / self.block_bytes
        self._maintained_blocks = sum(one.blocks_read for one in gains if one.maintenance_runs)
        self._gains = gains
        self._by_table = {one.oid: one for one in gains}
        self._fetched_by_indexes: dict[int, int] = {}
        for one in gains:
            if one.relkind == "i" and one.owner_oid is not None:
                fetched = self._fetched_by_indexes.get(one.owner_oid, 0) + one.rows_fetched
                self._fetched_by_indexes[one.owner_oid] = fetched
        self._dirtied = {one.oid: self._dirtied_by(one) for one in gains}
        self._scanned_shares = {is_ring: self._share_of_bounds(is_ring) for is_ring in (True, False)}
        self._bitmap_share = self._share_of_bitmaps()
        self._read_s_share = self._share_of_seconds()
        self.readers, self.statement_notes = _readers(before.statements, after.statements, gains)

    @property
    def active_s(self) -> float | None:
        """Seconds that sessions executed statements."""
        first, last = self.before.server.active_ms, self.after.server.active_ms
        return None if first is None or last is None else max(0.0, last - first) / 1000

    @property
    def waited_s(self) -> float | None:
        """Seconds that sessions, and the workers of their queries, waited for I/O."""
        if not self.database.io_timing or self.major < 16:
            return None
        rows = [row for row in self.delta.io if row.backend in SESSIONS]
        return sum(time_ms(row) for row in rows) / 1000

    @property
    def block_read_s(self) -> float | None:
        """Seconds of a session for a block: read time ÷ (bytes read ÷ block size)."""
        if not self.database.io_timing:
            return None
        if self.major < 16:
            return _ratio_s(
                self._total("pg_stat_database.blk_read_time"), self._total("pg_stat_database.blks_read")
            )
        rows = self._session_rows
        return rows.seconds / rows.blocks if rows.blocks else None

    def read_s(self, gain: RelationLook) -> float | None:
        """Seconds of sessions for its reads: each at what its kind takes, where the server tells them apart; all relations together
        never more than was counted."""
        found = self._uncapped_read_s(gain)
        return None if found is None else found * self._read_s_share

    def _uncapped_read_s(self, gain: RelationLook) -> float | None:
        block_s = self.block_read_s
        if block_s is None:
            return None
        waited = self.waited_for(gain)
        if waited is not None:
            return self._session_rows.seconds * waited / self.waits_seen
        read = self.read(gain)
        times = None if self.major < 16 else read_times(self._session_rows, self._large_size)
        scanned, large = self._scanned(gain), self.large(gain)
        if times is None or scanned.value is None or large.value is None:
            return read * block_s
        ring = scanned.value if self._is_ring(gain) else 0.0
        return times.seconds(read - large.value, ring, large.value - ring)

    @property
    def waits_seen(self) -> float:
        """Waits for a read that were seen, whatever for."""
        return 0.0 if self._waits is None else self._waits.sessions

    def waited_for(self, gain: RelationLook) -> float | None:
        """How many of them were for this relation; None where too few were seen to tell."""
        return None if self._waits is None else self._waits.by_relation.get(gain.oid, 0.0)

    def wait_notes(self) -> Iterator[Note]:
        """How far what was seen is to be trusted: held against the time that the server counted."""
        if self._waits_problem is not None:
            yield Note(
                code="waits-unseen",
                message=f"waits for reads could not be looked at to the end: {self._waits_problem}",
            )
        counted_s = self._session_rows.seconds
        if self._waits is None or not self.database.io_timing or not counted_s:
            return
        seen_s = self._waits.sessions_mean * self.delta.duration_s
        if abs(seen_s / counted_s - 1.0) > _WAITS_OFF_MAX:
            message = (
                f"sessions were seen waiting for reads for {seen_s:,.1f} s, where the server counted {counted_s:,.1f} s: "
                "what of it was for which object is less certain than it looks"
            )
            yield Note(code="waits-differ", message=message)

    def _share_of_seconds(self) -> float:
        every = sum(self._uncapped_read_s(one) or 0.0 for one in self._gains)
        counted = (self.block_read_s or 0.0) * sum(self.read(one) for one in self._gains)
        return min(1.0, max(counted, self._session_rows.seconds) / every) if every else 1.0

    def _total(self, name: str) -> float | None:
        return self.delta.totals.get(name)

    @property
    def blocks_read(self) -> float | None:
        """Of all databases and catalogs, whoever read them."""
        if self.major < 16:
            return self._total("pg_stat_database.blks_read")
        return self._rows.blocks

    @property
    def _large_size(self) -> float | None:
        """Blocks of a large read where requests are counted."""
        return self.large_blocks if self.major >= 18 else None

    @property
    def large_blocks(self) -> float:
        """Blocks of a large read: of 18 as it counts them, else as scans are made."""
        counted = self._rows.large_blocks(_SCANNED_BLOCKS_MIN) if self.major >= 18 else None
        if counted is not None:
            return counted
        if self.major < 17:
            return _KERNEL_READS_AHEAD_BYTES / self.block_bytes
        combined = setting_bytes(self.settings.get("io_combine_limit")) or _COMBINED_BYTES
        return max(2.0, combined / self.block_bytes)

    def maintenance(self, gain: RelationLook) -> Between:
        """Blocks of it that vacuum and analyze read, for which no session waits."""
        if not gain.maintenance_runs or gain.relkind == "S":
            return Between(0.0, 0.0)
        if self.major < 16:
            return Between(0.0, float(gain.blocks_read))
        every = self._maintenance_blocks
        others = self._maintained_blocks - gain.blocks_read
        high = min(every, float(gain.blocks_read))
        low = max(0.0, min(high, every - others))
        guess = min(high, max(low, every * gain.blocks_read / max(1.0, others + gain.blocks_read)))
        return Between(low, high, guess)

    def read(self, gain: RelationLook) -> float:
        """Blocks of it that were read for sessions."""
        return gain.blocks_read - (self.maintenance(gain).value or 0.0)

    def large(self, gain: RelationLook) -> Between:
        """Blocks of it that came in large reads: scans, and in 18 neighbours that a bitmap of an index named."""
        scanned, bitmaps = self._scanned(gain), self._bitmap_blocks(gain)
        if not bitmaps:
            return scanned
        guess = None if self._bitmap_share is None or scanned.value is None else self._bitmap_share * bitmaps
        high = min(self.read(gain), scanned.high + bitmaps)
        return Between(scanned.low, high, None if guess is None else (scanned.value or 0.0) + guess)

    def _bitmap_blocks(self, gain: RelationLook) -> float:
        """The most of them that bitmaps can have named; indexes count the rows of all other index scans."""
        scanned = self._scanned(gain).value
        if self.major < 18 or gain.relkind not in SCANNED or scanned is None:
            return 0.0
        return max(0.0, min(self.read(gain) - scanned, gain.rows_fetched))

    def _share_of_bitmaps(self) -> float | None:
        """Of the blocks that bitmaps can have named, those that came in large reads: what scans leave of the server's."""
        large, every = self._large_blocks_of_server(False), self.blocks_read
        if large is None or not every:
            return None
        own = min(1.0, sum(one.blocks_read for one in self._gains) / every)
        scanned = sum(self._scanned(one).value or 0.0 for one in self._gains if not self._is_ring(one))
        room = sum(self._bitmap_blocks(one) for one in self._gains)
        return min(1.0, max(0.0, large * own - scanned) / room) if room else None

    def _scanned(self, gain: RelationLook) -> Between:
        """Blocks of it that scans read for sessions."""
        found = self._scanned_bounds(gain)
        share = self._scanned_shares[self._is_ring(gain)]
        return found if found.is_exact or share is None else found.at(share)

    def _is_ring(self, gain: RelationLook) -> bool:
        """Whether a scan of it goes through a ring of buffers."""
        cache = self.cache_bytes
        return bool(cache) and (gain.size_bytes or 0) > RING_SHARE_OF_CACHE * (cache or 0)

    def _scanned_bounds(self, gain: RelationLook) -> Between:
        if gain.relkind not in SCANNED:
            return Between(0.0, 0.0)
        read = self.read(gain)
        by_rows = self.rows_by_index(gain) + gain.rows_inserted + 2 * gain.rows_updated + gain.rows_deleted
        by_scans = gain.scans * (gain.size_bytes or 0) / self.block_bytes
        high = min(read, by_scans)
        return Between(min(high, max(0.0, read - by_rows)), high)

    def rows_by_index(self, gain: RelationLook) -> int:
        """Rows that index scans fetched of a table: those of bitmap scans are counted by the table, others by each index."""
        return gain.rows_fetched + self._fetched_by_indexes.get(gain.oid, 0)

    def _share_of_bounds(self, is_ring: bool) -> float | None:
        """Where between their bounds scans lie, those through a ring or all others, so that together they are what the server
        counted of them; None: it does not say."""
        large = self._large_blocks_of_server(is_ring)
        every = self.blocks_read
        if large is None or not every:
            return None
        bounds = [self._scanned_bounds(one) for one in self._gains if self._is_ring(one) == is_ring]
        own = sum(one.blocks_read for one in self._gains) / every
        room = sum(one.high - one.low for one in bounds)
        return (large * min(1.0, own) - sum(one.low for one in bounds)) / room if room else None

    def _large_blocks_of_server(self, is_ring: bool) -> float | None:
        """Blocks that scans through a ring read, or that came in large reads besides."""
        if is_ring:
            return self._rows.ring.blocks if self.major >= 16 else None
        size = self._large_size
        return None if size is None else blocks_in_large_reads(self._rows.other, size)

    def _dirtied_by(self, gain: RelationLook) -> float:
        """Blocks of it that can have been dirtied between two checkpoints: a block is written once for many changes."""
        return min(
            self._changes(gain), (gain.size_bytes or 0) / self.block_bytes * (1.0 + self._checkpoints())
        )

    def _changes(self, gain: RelationLook) -> float:
        if gain.relkind == "i":
            table = self._by_table.get(gain.owner_oid or 0)
            if table is None:
                return 0.0
            return table.rows_inserted + table.rows_updated - table.rows_hot_updated
        return gain.rows_inserted + 2.0 * gain.rows_updated + gain.rows_deleted

    def _checkpoints(self) -> float:
        names = ("pg_stat_checkpointer.num_timed", "pg_stat_checkpointer.num_requested",
                 "pg_stat_bgwriter.checkpoints_timed", "pg_stat_bgwriter.checkpoints_req")  # fmt: skip
        return sum(self._total(name) or 0.0 for name in names)

    @property
    def written(self) -> tuple[float | None, float | None]:
        """Blocks that sessions wrote or added to files themselves, and those written in the background."""
        if self.major < 16:
            by_sessions = self._total("pg_stat_bgwriter.buffers_backend")
            behind = [
                self._total(f"pg_stat_bgwriter.{name}") for name in ("buffers_checkpoint", "buffers_clean")
            ]
            return by_sessions, None if None in behind else sum(one or 0.0 for one in behind)
        sessions = [row for row in self._relation_io if row.backend in SESSIONS]
        others = [row for row in self._relation_io if row.backend not in SESSIONS]
        return tuple(
            sum((row.write_bytes or 0) + (row.extend_bytes or 0) for row in rows) / self.block_bytes
            for rows in (sessions, others)
        )  # pyright: ignore[reportReturnType]

    def share_of_writes(self, gain: RelationLook) -> float:
        """Of the writes of this database, by the blocks that can have been dirtied."""
        every = sum(self._dirtied.values())
        return self._dirtied[gain.oid] / every if every else 0.0

    @property
    def own_share_of_changes(self) -> float | None:
        """Of the rows that the server changed, those of this database."""
        first, last = self.before.server, self.after.server
        if None in (first.rows_changed, last.rows_changed, first.own_rows_changed, last.own_rows_changed):
            return None
        every = (last.rows_changed or 0) - (first.rows_changed or 0)
        own = (last.own_rows_changed or 0) - (first.own_rows_changed or 0)
        return min(1.0, own / every) if every > 0 else None

    def unseen(self) -> tuple[UnseenShare, ...]:
        """Reads that no object here stands for, and writes of other databases and of catalogs."""
        seen = sum(one.blocks_read for one in self._gains if not one.is_catalog)
        reads = None if not self.blocks_read else max(0.0, 1.0 - seen / self.blocks_read)
        own = self.own_share_of_changes
        of_catalogs = sum(self.share_of_writes(one) for one in self._gains if one.is_catalog)
        writes = None if own is None else 1.0 - own * (1.0 - of_catalogs)
        shares: tuple[tuple[AccessCount, float | None], ...] = (
            ("small_reads", reads), ("large_reads", reads), ("small_writes", writes), ("background_writes", writes),
        )  # fmt: skip
        return tuple(UnseenShare(count=count, share=share) for count, share in shares)


def _readers(
    first: StatementsLook | None, last: StatementsLook | None, gains: Sequence[RelationLook]
) -> tuple[Mapping[str, Sequence[str]], tuple[Note, ...]]:
    """Which of the statements with most reads name a table. A name without a schema is that of the one table that is called so."""
    if first is None or last is None:
        return {}, ()
    before = {one.id: one.blocks_read for one in first.most}
    read = [(one, one.blocks_read - before.get(one.id, 0)) for one in last.most]
    statements = [Statement(one.id, one.text, float(blocks)) for one, blocks in read if blocks > 0]
    try:
        named = tables_of(statements, "postgres")
    except PlimsollError as error:
        return {}, (Note(code="statements-unread", message=f"{error.message}: {error.hint}"),)
    by_name: dict[str, list[str]] = {}
    for one in gains:
        for name in (one.name, one.full_name):
            by_name.setdefault(name.upper(), []).append(one.full_name)
    found: dict[str, Sequence[str]] = {}
    for table in sorted(named.tables.values(), key=lambda one: -one.blocks_max):
        meant = by_name.get(table.name, [])
        if len(meant) == 1:
            found.setdefault(meant[0], table.statements)
    return found, ()


def time_ms(row: IoCounters) -> float:
    times = (row.read_time_ms, row.write_time_ms, row.extend_time_ms, row.fsync_time_ms)
    return sum(one or 0.0 for one in times)


def _ratio_s(time_ms: float | None, blocks: float | None) -> float | None:
    return time_ms / 1000 / blocks if time_ms is not None and blocks else None
