-- Running totals of the server, all as old as the statement's start. Names that this release does not have are absent.
select lower(variable_name) as name, variable_value as value, utc_timestamp(6) as taken_at
from performance_schema.global_status
where variable_name in (
    'uptime', 'uptime_since_flush_status', 'threads_connected', 'threads_running', 'slaves_running',
    'innodb_pages_read', 'innodb_pages_written', 'innodb_pages_created',
    'innodb_buffer_pool_reads', 'innodb_buffer_pool_read_requests', 'innodb_buffer_pool_read_ahead',
    'innodb_buffer_pool_write_requests', 'innodb_buffer_pool_pages_flushed', 'innodb_buffer_pool_wait_free',
    'innodb_data_reads', 'innodb_data_read', 'innodb_data_writes', 'innodb_data_written', 'innodb_data_fsyncs',
    'innodb_dblwr_writes', 'innodb_dblwr_pages_written',
    'innodb_os_log_written', 'innodb_os_log_fsyncs', 'innodb_log_writes', 'innodb_log_write_requests', 'innodb_log_waits',
    'innodb_rows_read', 'innodb_rows_updated',
    'handler_read_key', 'handler_read_next', 'handler_read_rnd_next', 'handler_update', 'handler_write', 'handler_delete',
    'com_commit', 'com_rollback',
    'binlog_bytes_written', 'binlog_commits', 'binlog_group_commits', 'created_tmp_disk_tables', 'sort_merge_passes'
)
