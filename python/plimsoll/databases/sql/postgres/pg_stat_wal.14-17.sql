-- The log: what was generated, and how often it was written and forced. Times are milliseconds.
select
    wal_records::float8 as wal_records,
    wal_fpi::float8 as wal_fpi,
    wal_bytes::float8 as wal_bytes,
    wal_buffers_full::float8 as wal_buffers_full,
    wal_write::float8 as wal_write,
    wal_sync::float8 as wal_sync,
    wal_write_time::float8 as wal_write_time,
    wal_sync_time::float8 as wal_sync_time,
    stats_reset
from pg_stat_wal
