-- What each container asked for.
select ':K|' || inst_id || '|' || row_number() over (order by con_id, name, inst_id) || '|' || count(*) over ()
    || '|' || con_id || '|' || replace(name, '|', '\7c') || '|' || value || '|.'
from gv$con_sysstat
where name in ('physical read total IO requests', 'physical read total multi block requests', 'physical read total bytes',
    'physical write total IO requests', 'physical write total multi block requests', 'physical write total bytes', 'redo size',
    'user commits')
order by con_id, name, inst_id;
