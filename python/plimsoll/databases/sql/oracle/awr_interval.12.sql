-- Minutes between automatic snapshots.
select
    extract(day from snap_interval) * 1440 + extract(hour from snap_interval) * 60 + extract(minute from snap_interval) as minutes
from dba_hist_wr_control
where dbid = (select dbid from v$database)
