-- How often and how long the database's own processes waited.
select ':B|' || inst_id || '|' || row_number() over (order by event, inst_id) || '|' || count(*) over ()
    || '|' || replace(event, '|', '\7c') || '|' || wait_class || '|' || (total_waits - total_waits_fg)
    || '|' || (time_waited_micro - time_waited_micro_fg) || '|.'
from gv$system_event
where wait_class <> 'Idle' and total_waits > total_waits_fg
order by event, inst_id;
