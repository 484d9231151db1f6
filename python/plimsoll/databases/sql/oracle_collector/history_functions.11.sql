-- Requests by what the database did them for.
select ':u|' || h.snap_id || '|' || h.instance_number
    || '|' || row_number() over (partition by h.snap_id order by h.function_name, h.instance_number)
    || '|' || count(*) over (partition by h.snap_id)
    || '|' || replace(h.function_name, '|', '\7c')
    || '|' || sum(h.small_read_reqs) || '|' || sum(h.large_read_reqs) || '|' || sum(h.small_read_megabytes)
    || '|' || sum(h.large_read_megabytes)
    || '|' || sum(h.small_write_reqs) || '|' || sum(h.large_write_reqs) || '|' || sum(h.small_write_megabytes)
    || '|' || sum(h.large_write_megabytes) || '|.'
from dba_hist_iostat_function h, dba_hist_snapshot s
where s.dbid = (select dbid from v$database) and s.end_interval_time > sysdate - 7
    and h.dbid = s.dbid and h.instance_number = s.instance_number and h.snap_id = s.snap_id
group by h.snap_id, h.instance_number, h.function_name
order by h.snap_id, h.function_name, h.instance_number;
