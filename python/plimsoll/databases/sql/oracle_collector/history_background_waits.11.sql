-- Waits of the database's own processes.
select ':b|' || h.snap_id || '|' || h.instance_number
    || '|' || row_number() over (partition by h.snap_id order by h.event_name, h.instance_number)
    || '|' || count(*) over (partition by h.snap_id)
    || '|' || replace(h.event_name, '|', '\7c')
    || '|' || h.wait_class || '|' || (h.total_waits - h.total_waits_fg)
    || '|' || (h.time_waited_micro - h.time_waited_micro_fg) || '|.'
from dba_hist_system_event h, dba_hist_snapshot s
where s.dbid = (select dbid from v$database) and s.end_interval_time > sysdate - 7
    and h.dbid = s.dbid and h.instance_number = s.instance_number and h.snap_id = s.snap_id
    and h.wait_class in ('User I/O', 'System I/O', 'Commit') and h.total_waits > h.total_waits_fg
order by h.snap_id, h.event_name, h.instance_number;
