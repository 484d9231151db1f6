-- The instances, when each was started, and the moment in thousandths of a second.
select ':T|' || inst_id || '|' || row_number() over (order by inst_id) || '|' || count(*) over ()
    || '|' || replace(instance_name, '|', '\7c') || '|' || replace(host_name, '|', '\7c') || '|' || version || '|' || parallel
    || '|' || to_char(startup_time, 'YYYY-MM-DD"T"HH24:MI:SS')
    || '|' || to_char(systimestamp, 'YYYY-MM-DD"T"HH24:MI:SS.FF3') || to_char(systimestamp, 'TZH:TZM') || '|.'
from gv$instance
order by inst_id;
