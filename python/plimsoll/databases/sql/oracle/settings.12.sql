-- The parameters that decide how the instance's I/O looks. A name that this release does not know is absent.
select name, value from v$parameter
where name in (
    'db_block_size', 'filesystemio_options', 'disk_asynch_io', 'sga_target', 'memory_target', 'db_cache_size', 'db_keep_cache_size',
    'pga_aggregate_target', 'log_buffer', 'commit_wait', 'commit_logging', 'db_file_multiblock_read_count', 'db_writer_processes',
    'fast_start_mttr_target', 'statistics_level', 'timed_statistics', 'control_management_pack_access', 'cpu_count', 'processes'
)
order by name
