-- How far the log is written, in bytes from its beginning: exact at every moment, while counters come late. Unknown on a standby.
select
    case when pg_is_in_recovery() then null
         else pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 end as written_bytes
