-- The settings that decide how the server's I/O looks. A name that this server does not know, or that this user may not see, is absent.
select name, current_setting(name, true) as value
from pg_settings
where name in (
    'block_size', 'wal_block_size', 'wal_segment_size', 'shared_buffers', 'huge_pages',
    'debug_io_direct', 'io_method', 'io_combine_limit', 'effective_io_concurrency', 'maintenance_io_concurrency',
    'track_counts', 'track_io_timing', 'track_wal_io_timing',
    'fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method', 'wal_compression', 'wal_level',
    'checkpoint_timeout', 'checkpoint_completion_target', 'max_wal_size', 'bgwriter_delay',
    'data_checksums', 'data_directory', 'max_connections', 'stats_fetch_consistency'
) or starts_with(name, 'aurora') or starts_with(name, 'apg_')
order by name
