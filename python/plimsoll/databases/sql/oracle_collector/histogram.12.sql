-- Waits for I/O and commits by how long they took: each bucket ends at so many microseconds.
select ':H|' || h.inst_id || '|' || row_number() over (order by h.event, h.inst_id, h.wait_time_micro)
    || '|' || count(*) over ()
    || '|' || replace(h.event, '|', '\7c') || '|' || h.wait_time_micro || '|' || h.wait_count || '|.'
from gv$event_histogram_micro h, v$event_name n
where h.event# = n.event# and n.wait_class in ('User I/O', 'System I/O', 'Commit')
order by h.event, h.inst_id, h.wait_time_micro;
