-- I/O by who, on what and why. 16 and 17 count blocks: op_bytes each, whatever the size of the request to the system was.
select
    backend_type as backend,
    object,
    context,
    reads, reads * op_bytes as read_bytes, read_time as read_time_ms,
    writes, writes * op_bytes as write_bytes, write_time as write_time_ms,
    extends, extends * op_bytes as extend_bytes, extend_time as extend_time_ms,
    fsyncs, fsync_time as fsync_time_ms,
    hits, evictions, reuses,
    stats_reset
from pg_stat_io
