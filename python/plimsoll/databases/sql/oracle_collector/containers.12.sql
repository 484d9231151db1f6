-- Containers by number, and the one that this session is in.
select ':C|0|' || row_number() over (order by con_id) || '|' || count(*) over () || '|' || con_id
    || '|' || replace(name, '|', '\7c') || '|' || case when con_id = sys_context('USERENV', 'CON_ID') then 'here' end || '|.'
from v$containers
order by con_id;
