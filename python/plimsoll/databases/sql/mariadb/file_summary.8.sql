-- How long InnoDB waited for its data files. Requests that it hands to the system without waiting show only what that took.
select
    sum(count_read) as data_file_reads,
    sum(sum_timer_read) / 1e9 as data_file_read_time_ms
from performance_schema.file_summary_by_event_name
where event_name = 'wait/io/file/innodb/innodb_data_file'
