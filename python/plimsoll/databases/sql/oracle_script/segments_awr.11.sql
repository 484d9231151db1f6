-- The same for hours that are over, from AWR's history of segments. Oracle's licensing manual excepts the views DBA_HIST_SEG_STAT,
-- DBA_HIST_SEG_STAT_OBJ and DBA_HIST_SNAPSHOT from the Diagnostics Pack. Every snapshot of the last seven days is one interval; AWR keeps the segments with most I/O of each, so that what it does not show is not small.
--
--     sqlplus -s / as sysdba @segments_awr.sql > week.txt
set pagesize 0 linesize 4000 trimspool on trimout on heading off feedback off verify off echo off define off termout on serveroutput off
alter session set nls_numeric_characters = '.,';
select 'H|plimsoll-objects|1' from dual;
select 'I|' || d.dbid || '|' || replace(d.name, '|', '\7c') || '|' || i.instance_number || '|' || replace(i.instance_name, '|', '\7c')
    || '|' || replace(i.host_name, '|', '\7c') || '|' || i.version || '|' || d.platform_name || '|' || i.parallel
    || '|' || to_char(i.startup_time, 'YYYY-MM-DD"T"HH24:MI:SS') || '|' || to_char(sysdate, 'YYYY-MM-DD"T"HH24:MI:SS')
    || '|' || (select value from v$parameter where name = 'db_block_size')
    || '|' || (select sum(current_size) from v$sga_dynamic_components where component like '%buffer cache%')
from v$database d, v$instance i;
select 'D|' || s.snap_id || '|' || s.instance_number || '|' || to_char(n.begin_interval_time, 'YYYY-MM-DD"T"HH24:MI:SS')
    || '|' || to_char(n.end_interval_time, 'YYYY-MM-DD"T"HH24:MI:SS')
    || '|' || replace(o.owner, '|', '\7c') || '|' || replace(o.object_name, '|', '\7c') || '|' || replace(o.subobject_name, '|', '\7c')
    || '|' || o.object_type || '|' || replace(o.tablespace_name, '|', '\7c')
    || '|' || sum(s.logical_reads_delta) || '|' || sum(s.physical_reads_delta) || '|' || sum(s.physical_read_requests_delta)
    || '|' || sum(s.physical_reads_direct_delta) || '|' || sum(s.physical_writes_delta) || '|' || sum(s.physical_write_requests_delta)
    || '|' || sum(s.physical_writes_direct_delta) || '|' || sum(s.table_scans_delta) || '|' || sum(s.optimized_physical_reads_delta)
from dba_hist_seg_stat s, dba_hist_snapshot n, dba_hist_seg_stat_obj o
where n.snap_id = s.snap_id and n.dbid = s.dbid and n.instance_number = s.instance_number
    and o.dbid = s.dbid and o.ts# = s.ts# and o.obj# = s.obj# and o.dataobj# = s.dataobj#
    and n.end_interval_time > systimestamp - interval '7' day
group by s.snap_id, s.instance_number, n.begin_interval_time, n.end_interval_time,
    o.owner, o.object_name, o.subobject_name, o.object_type, o.tablespace_name;
select 'B|' || replace(owner, '|', '\7c') || '|' || replace(segment_name, '|', '\7c') || '|' || replace(partition_name, '|', '\7c')
    || '|' || segment_type || '|' || replace(tablespace_name, '|', '\7c') || '|' || sum(bytes)
from dba_segments
group by owner, segment_name, partition_name, segment_type, tablespace_name;
select 'E|end' from dual;
exit
