-- Microseconds that sessions spent in the database, and on CPUs.
select ':J|' || inst_id || '|' || row_number() over (order by stat_name, inst_id) || '|' || count(*) over ()
    || '|' || replace(stat_name, '|', '\7c') || '|' || value || '|.'
from gv$sys_time_model
order by stat_name, inst_id;
