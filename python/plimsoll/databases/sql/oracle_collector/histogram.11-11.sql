-- Waits for I/O and commits by how long they took: each bucket ends at so many microseconds (milliseconds are counted here).
select ':H|' || h.inst_id || '|' || row_number() over (order by h.event, h.inst_id, h.wait_time_milli)
    || '|' || count(*) over ()
    || '|' || replace(h.event, '|', '\7c') || '|' || h.wait_time_milli * 1000 || '|' || h.wait_count || '|.'
from gv$event_histogram h, v$event_name n
where h.event# = n.event# and n.wait_class in ('User I/O', 'System I/O', 'Commit')
order by h.event, h.inst_id, h.wait_time_milli;
