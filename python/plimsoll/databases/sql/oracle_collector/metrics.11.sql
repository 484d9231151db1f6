-- The database's own rates over its last minute, beside which the differences of counters can be held.
select ':M|' || inst_id || '|' || row_number() over (order by metric_name, inst_id) || '|' || count(*) over ()
    || '|' || replace(metric_name, '|', '\7c') || '|' || replace(metric_unit, '|', '\7c') || '|' || round(value, 6) || '|.'
from gv$sysmetric
where group_id = 2 and (metric_name like 'Physical%Per Sec' or metric_name like 'Redo%Per Sec' or metric_name like 'I/O%per Second')
order by metric_name, inst_id;
