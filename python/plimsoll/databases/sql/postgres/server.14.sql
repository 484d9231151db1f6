-- Who answers, and when. Reading one counter first makes the server take its copy of all counters, whose time is asked next.
with copied as materialized (select pg_stat_get_buf_alloc() as buffers)
select
    copied.buffers,
    clock_timestamp() as server_now,
    coalesce(pg_stat_get_snapshot_timestamp(), clock_timestamp()) as taken_at,
    pg_postmaster_start_time() as started_at,
    (select system_identifier::text from pg_control_system()) as system_identifier,
    (select array_agg(oid::int8 order by oid) from pg_database) as database_oids
from copied
