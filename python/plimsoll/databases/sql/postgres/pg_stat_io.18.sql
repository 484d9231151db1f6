-- I/O by who, on what and why, in requests to the system and their bytes; the log is object `wal`.
select
    backend_type as backend,
    object,
    context,
    reads, read_bytes::int8 as read_bytes, read_time as read_time_ms,
    writes, write_bytes::int8 as write_bytes, write_time as write_time_ms,
    extends, extend_bytes::int8 as extend_bytes, extend_time as extend_time_ms,
    fsyncs, fsync_time as fsync_time_ms,
    hits, evictions, reuses,
    stats_reset
from pg_stat_io
