-- Values of the moment. A session hands in its counters between transactions, so long transactions say how late they are.
-- Who waits for I/O: for its own, for a block that another session reads, or for another's flush of the log. NULL where this
-- login does not see what other sessions do.
with others as (
    select
        *,
        backend_type = 'client backend' as is_client,
        state = 'active' as is_active,
        wait_event_type = 'IO' or wait_event in ('BufferIO', 'WALWrite') as waits_for_io
    from pg_stat_activity
    where pid <> pg_backend_pid()
)
select
    (select count(*) from pg_database)::float8 as databases,
    count(*) filter (where is_client)::float8 as sessions,
    extract(epoch from max(clock_timestamp() - xact_start))::float8 as transaction_age_s_max,
    extract(epoch from max(clock_timestamp() - xact_start) filter (where is_active))::float8 as running_age_s_max,
    count(*) filter (where xact_start < clock_timestamp() - interval '2 seconds')::float8 as long_transactions,
    case when not coalesce(bool_or(is_client and state is null), false)
        then count(*) filter (where is_client and is_active) end::float8 as sessions_active,
    case when not coalesce(bool_or(is_client and state is null), false)
        then count(*) filter (where is_client and is_active and waits_for_io) end::float8 as sessions_waiting
from others
