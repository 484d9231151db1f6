-- Counters of each host that tell how busy its CPUs are.
select ':O|' || inst_id || '|' || row_number() over (order by stat_name, inst_id) || '|' || count(*) over ()
    || '|' || stat_name || '|' || cumulative || '|' || value || '|.'
from gv$osstat
where stat_name in ('NUM_CPUS', 'BUSY_TIME', 'IDLE_TIME', 'IOWAIT_TIME', 'OS_CPU_WAIT_TIME')
order by stat_name, inst_id;
