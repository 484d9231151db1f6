-- What Plimsoll needs to know of an Oracle database to say which of its objects belong on the fastest storage. Run it on each
-- instance, twice at least, at the begin and at the end of the hours that count, and keep what it prints:
--
--     sqlplus -s / as sysdba @objects.sql > node1_0900.txt
--     plimsoll place node1_0900.txt node1_1000.txt --tiers tiers.toml
--
-- It reads and changes nothing, and needs no licence beyond the database's own (views V$ and DBA_SEGMENTS, DBA_OBJECTS,
-- DBA_TABLESPACES). Each line is one fact: its letter, then values between bars; a bar inside a name is written \7c.
set pagesize 0 linesize 4000 trimspool on trimout on heading off feedback off verify off echo off define off termout on serveroutput off
alter session set nls_numeric_characters = '.,';
select 'H|plimsoll-objects|1' from dual;
select 'I|' || d.dbid || '|' || replace(d.name, '|', '\7c') || '|' || i.instance_number || '|' || replace(i.instance_name, '|', '\7c')
    || '|' || replace(i.host_name, '|', '\7c') || '|' || i.version || '|' || d.platform_name || '|' || i.parallel
    || '|' || to_char(i.startup_time, 'YYYY-MM-DD"T"HH24:MI:SS') || '|' || to_char(sysdate, 'YYYY-MM-DD"T"HH24:MI:SS')
    || '|' || (select value from v$parameter where name = 'db_block_size')
    || '|' || (select sum(current_size) from v$sga_dynamic_components where component like '%buffer cache%')
from v$database d, v$instance i;
select 'S|' || name || '|' || value from v$sysstat where name in (
    'physical reads', 'physical read IO requests', 'physical read total IO requests', 'physical read total multi block requests',
    'physical read total bytes', 'physical reads direct temporary tablespace', 'physical writes', 'physical write IO requests',
    'physical writes direct temporary tablespace', 'redo writes', 'redo size', 'session logical reads');
select 'W|' || event || '|' || total_waits_fg || '|' || time_waited_micro_fg from v$system_event
where wait_class in ('User I/O', 'Commit') or event in ('log buffer space', 'free buffer waits', 'log file parallel write');
select 'T|' || stat_name || '|' || value from v$sys_time_model where stat_name in ('DB time', 'DB CPU');
select 'O|' || stat_name || '|' || value from v$osstat where stat_name in ('BUSY_TIME', 'IDLE_TIME', 'NUM_CPUS');
select 'G|' || replace(owner, '|', '\7c') || '|' || replace(object_name, '|', '\7c') || '|' || replace(subobject_name, '|', '\7c')
    || '|' || object_type || '|' || replace(tablespace_name, '|', '\7c')
    || '|' || sum(decode(statistic_name, 'logical reads', value, 0))
    || '|' || sum(decode(statistic_name, 'physical reads', value, 0))
    || '|' || sum(decode(statistic_name, 'physical read requests', value, 0))
    || '|' || sum(decode(statistic_name, 'physical reads direct', value, 0))
    || '|' || sum(decode(statistic_name, 'physical writes', value, 0))
    || '|' || sum(decode(statistic_name, 'physical write requests', value, 0))
    || '|' || sum(decode(statistic_name, 'physical writes direct', value, 0))
    || '|' || sum(decode(statistic_name, 'segment scans', value, 0))
    || '|' || sum(decode(statistic_name, 'optimized physical reads', value, 0))
from v$segment_statistics
where statistic_name in ('logical reads', 'physical reads', 'physical read requests', 'physical reads direct', 'physical writes',
    'physical write requests', 'physical writes direct', 'segment scans', 'optimized physical reads')
group by owner, object_name, subobject_name, object_type, tablespace_name
having sum(decode(statistic_name, 'segment scans', 0, 'logical reads', 0, value)) > 0;
select 'B|' || replace(owner, '|', '\7c') || '|' || replace(segment_name, '|', '\7c') || '|' || replace(partition_name, '|', '\7c')
    || '|' || segment_type || '|' || replace(tablespace_name, '|', '\7c') || '|' || sum(bytes)
from dba_segments
group by owner, segment_name, partition_name, segment_type, tablespace_name;
select 'C|' || replace(o.owner, '|', '\7c') || '|' || replace(o.object_name, '|', '\7c') || '|' || replace(o.subobject_name, '|', '\7c')
    || '|' || sum(case when b.status like 'flash%' then 0 else 1 end) || '|' || sum(case when b.status like 'flash%' then 1 else 0 end)
from v$bh b, dba_objects o
where b.objd = o.data_object_id and b.status <> 'free'
group by o.owner, o.object_name, o.subobject_name;
select 'P|' || replace(p.object_owner, '|', '\7c') || '|' || replace(p.object_name, '|', '\7c') || '|' || p.operation || '|' || p.options
    || '|' || count(distinct s.sql_id) || '|' || sum(s.executions) || '|' || sum(s.disk_reads)
from v$sql_plan p, v$sqlarea s
where p.address = s.address and p.hash_value = s.hash_value and p.operation in ('TABLE ACCESS', 'INDEX')
group by p.object_owner, p.object_name, p.operation, p.options;
select 'X|' || replace(t.tablespace_name, '|', '\7c') || '|' || t.contents || '|' || sum(f.bytes)
from dba_tablespaces t,
    (select tablespace_name, bytes from dba_data_files union all select tablespace_name, bytes from dba_temp_files) f
where t.tablespace_name = f.tablespace_name and t.contents in ('TEMPORARY', 'UNDO')
group by t.tablespace_name, t.contents;
select 'F|' || filetype_name || '|' || sum(small_read_reqs) || '|' || sum(large_read_reqs) || '|' || sum(small_read_megabytes)
    || '|' || sum(large_read_megabytes) || '|' || sum(small_write_reqs) || '|' || sum(large_write_reqs)
    || '|' || sum(small_write_megabytes) || '|' || sum(large_write_megabytes)
from v$iostat_file where filetype_name in ('Temp File', 'Log File', 'Data File') group by filetype_name;
select 'L|' || thread# || '|' || sum(bytes) from v$log group by thread#;
select 'E|end' from dual;
exit
