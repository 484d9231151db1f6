-- A new segment of the log, if anything was written since the last one began.
select pg_switch_wal()
