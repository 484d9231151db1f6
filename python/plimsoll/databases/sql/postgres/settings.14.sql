-- The settings that decide how the server's I/O looks, and what each would be unless somebody had set it otherwise. A name that this
-- server does not know, or that this user may not see, is absent.
select
    name,
    current_setting(name, true) as value,
    boot_val,
    unit,
    setting is distinct from boot_val and source not in ('default', 'override', 'session', 'client') as is_set
from pg_settings
where name in (
    'block_size', 'wal_block_size', 'wal_segment_size', 'shared_buffers', 'huge_pages',
    'debug_io_direct', 'io_method', 'io_workers', 'io_combine_limit', 'effective_io_concurrency', 'maintenance_io_concurrency',
    'track_counts', 'track_io_timing', 'track_wal_io_timing',
    'fsync', 'synchronous_commit', 'full_page_writes', 'wal_sync_method', 'wal_compression', 'wal_level', 'wal_buffers',
    'wal_writer_delay', 'commit_delay', 'archive_mode',
    'checkpoint_timeout', 'checkpoint_completion_target', 'checkpoint_flush_after', 'max_wal_size', 'min_wal_size',
    'bgwriter_delay', 'bgwriter_lru_maxpages', 'bgwriter_lru_multiplier', 'bgwriter_flush_after', 'backend_flush_after',
    'work_mem', 'hash_mem_multiplier', 'maintenance_work_mem', 'temp_buffers', 'temp_file_limit', 'effective_cache_size',
    'autovacuum', 'autovacuum_max_workers', 'autovacuum_vacuum_cost_delay', 'autovacuum_vacuum_cost_limit',
    'max_parallel_workers', 'max_parallel_workers_per_gather', 'random_page_cost', 'seq_page_cost',
    'data_checksums', 'data_directory', 'max_connections', 'stats_fetch_consistency'
) or starts_with(name, 'aurora') or starts_with(name, 'apg_')
order by name
