-- Counters of each instance: requests, bytes, blocks, redo, commits.
select ':S|' || inst_id || '|' || row_number() over (order by name, inst_id) || '|' || count(*) over ()
    || '|' || replace(name, '|', '\7c') || '|' || value || '|.'
from gv$sysstat
order by name, inst_id;
