-- What belongs to no relation: blocks of this database, time of all sessions, and the files of the log and of temporary space,
-- whose sizes only some users may ask for. Times are milliseconds.
select
    (select blks_read from pg_stat_database where datname = current_database()) as own_blocks_read,
    (select tup_inserted + tup_updated + tup_deleted from pg_stat_database where datname = current_database())
        as own_rows_changed,
    (select sum(tup_inserted + tup_updated + tup_deleted) from pg_stat_database)::int8 as rows_changed,
    (select sum(active_time) from pg_stat_database)::float8 as active_ms,
    (select spcname from pg_tablespace join pg_database on dattablespace = pg_tablespace.oid where datname = current_database())
        as tablespace_name,
    current_setting('temp_tablespaces') as temp_tablespaces,
    case when has_function_privilege('pg_ls_waldir()', 'execute')
        then (select sum(size) from pg_ls_waldir()) end::int8 as log_bytes,
    case when has_function_privilege('pg_ls_tmpdir()', 'execute')
        then (select coalesce(sum(size), 0) from pg_ls_tmpdir()) end::int8 as temp_file_bytes,
    (select oid::int8 from pg_database where datname = current_database()) as database_oid
