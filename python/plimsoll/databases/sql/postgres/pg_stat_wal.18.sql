-- The log as generated; since 18 its writes and syncs are rows of pg_stat_io.
select
    wal_records::float8 as wal_records,
    wal_fpi::float8 as wal_fpi,
    wal_bytes::float8 as wal_bytes,
    wal_buffers_full::float8 as wal_buffers_full,
    stats_reset
from pg_stat_wal
