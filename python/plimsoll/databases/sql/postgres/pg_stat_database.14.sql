-- All databases of the server together, because they share its storage. Times are milliseconds, reads are blocks.
select
    sum(xact_commit)::float8 as xact_commit,
    sum(xact_rollback)::float8 as xact_rollback,
    sum(blks_read)::float8 as blks_read,
    sum(blks_hit)::float8 as blks_hit,
    sum(blk_read_time)::float8 as blk_read_time,
    sum(blk_write_time)::float8 as blk_write_time,
    sum(tup_returned)::float8 as tup_returned,
    sum(tup_fetched)::float8 as tup_fetched,
    sum(tup_inserted)::float8 as tup_inserted,
    sum(tup_updated)::float8 as tup_updated,
    sum(tup_deleted)::float8 as tup_deleted,
    sum(temp_files)::float8 as temp_files,
    sum(temp_bytes)::float8 as temp_bytes,
    sum(deadlocks)::float8 as deadlocks,
    sum(active_time)::float8 as active_time,
    sum(idle_in_transaction_time)::float8 as idle_in_transaction_time,
    max(stats_reset) as stats_reset
from pg_stat_database
