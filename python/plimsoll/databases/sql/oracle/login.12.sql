-- Who we are here, and which instance of which database this is. When the youngest of all instances started is kept in the time of
-- the machine: counters are summed over all of them, and start anew with any.
select
    sys_context('userenv', 'session_user') as user_name,
    sys_context('userenv', 'con_name') as container_name,
    d.name as database_name,
    to_char(d.dbid) || '/' || to_char(i.instance_number) as system_identifier,
    d.database_role as database_role,
    i.parallel as is_cluster,
    sys_extract_utc(from_tz(
        cast((select max(g.startup_time) from gv$instance g) as timestamp), to_char(systimestamp, 'TZH:TZM')
    )) as started_at,
    (select count(*) from v$datafile f where f.name like '+%') as asm_files,
    (select count(*) from v$datafile) as data_files
from v$instance i cross join v$database d
