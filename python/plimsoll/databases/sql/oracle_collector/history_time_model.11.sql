-- Microseconds in the database, and on CPUs.
select ':j|' || h.snap_id || '|' || h.instance_number
    || '|' || row_number() over (partition by h.snap_id order by h.stat_name, h.instance_number)
    || '|' || count(*) over (partition by h.snap_id)
    || '|' || replace(h.stat_name, '|', '\7c') || '|' || h.value || '|.'
from dba_hist_sys_time_model h, dba_hist_snapshot s
where s.dbid = (select dbid from v$database) and s.end_interval_time > sysdate - 7
    and h.dbid = s.dbid and h.instance_number = s.instance_number and h.snap_id = s.snap_id
    and h.stat_name in ('DB time', 'DB CPU')
order by h.snap_id, h.stat_name, h.instance_number;
