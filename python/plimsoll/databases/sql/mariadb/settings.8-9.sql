-- The settings that decide how the server's I/O looks. A name that this server does not know is absent.
select lower(variable_name) as name, variable_value as value
from performance_schema.global_variables
where variable_name in (
    'innodb_page_size', 'innodb_buffer_pool_size', 'innodb_flush_method', 'innodb_data_file_buffering',
    'innodb_log_file_buffering', 'innodb_log_file_size', 'innodb_log_files_in_group', 'innodb_redo_log_capacity',
    'innodb_log_buffer_size', 'innodb_flush_log_at_trx_commit', 'innodb_flush_log_at_timeout', 'innodb_doublewrite',
    'innodb_io_capacity', 'innodb_io_capacity_max', 'innodb_flush_neighbors', 'innodb_read_ahead_threshold',
    'innodb_random_read_ahead', 'innodb_use_native_aio', 'innodb_read_io_threads', 'innodb_write_io_threads',
    'innodb_change_buffering', 'innodb_adaptive_hash_index', 'innodb_checksum_algorithm',
    'innodb_monitor_enable', 'log_bin', 'sync_binlog', 'binlog_format', 'performance_schema', 'max_connections'
)
order by name
