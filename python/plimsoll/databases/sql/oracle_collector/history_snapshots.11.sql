-- Snapshots of AWR, when each was taken, and when its instance had been started.
select ':t|' || s.snap_id || '|' || s.instance_number
    || '|' || row_number() over (partition by s.snap_id order by s.instance_number)
    || '|' || count(*) over (partition by s.snap_id)
    || '|' || replace(i.instance_name, '|', '\7c') || '|' || replace(i.host_name, '|', '\7c') || '|' || i.version
    || '|' || i.parallel
    || '|' || to_char(s.startup_time, 'YYYY-MM-DD"T"HH24:MI:SS')
    || '|' || to_char(s.end_interval_time, 'YYYY-MM-DD"T"HH24:MI:SS') || to_char(systimestamp, 'TZH:TZM') || '|.'
from dba_hist_snapshot s, dba_hist_database_instance i
where s.dbid = (select dbid from v$database) and s.end_interval_time > sysdate - 7
    and i.dbid = s.dbid and i.instance_number = s.instance_number and i.startup_time = s.startup_time
order by s.snap_id, s.instance_number;
