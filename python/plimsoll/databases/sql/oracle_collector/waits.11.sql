-- How often and how long sessions of clients waited, in microseconds.
select ':W|' || inst_id || '|' || row_number() over (order by event, inst_id) || '|' || count(*) over ()
    || '|' || replace(event, '|', '\7c') || '|' || wait_class || '|' || total_waits_fg || '|' || time_waited_micro_fg || '|.'
from gv$system_event
where wait_class <> 'Idle' and total_waits_fg > 0
order by event, inst_id;
