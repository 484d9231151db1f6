-- The 200 segments of each instance with most blocks read, and with most blocks written, since it was started.
-- The slowest query of all.
select ':G|' || inst_id || '|' || row_number() over (order by statistic_name, place, inst_id) || '|' || count(*) over ()
    || '|' || statistic_name || '|' || con || '|' || replace(owner, '|', '\7c') || '|' || replace(object_name, '|', '\7c')
    || '|' || replace(subobject_name, '|', '\7c') || '|' || object_type || '|' || replace(tablespace_name, '|', '\7c')
    || '|' || value || '|.'
from (
    select inst_id, statistic_name, con_id con, owner, object_name, subobject_name, object_type, tablespace_name, value,
        row_number() over (partition by inst_id, statistic_name order by value desc, owner, object_name, subobject_name) place
    from gv$segment_statistics
    where statistic_name in ('physical reads', 'physical writes') and value > 0
)
where place <= 200
order by statistic_name, place, inst_id;
