-- Values of the moment. A session hands in its counters between transactions, so long transactions say how late they are.
-- Who waits for I/O: for its own, for a block that another session reads, or for another's flush of the log. NULL where this
-- login does not see what other sessions do, of whom it is not even told which are clients, or where one has track_activities off.
-- at_work_…: clients, and their parallel workers, that are at work, by what they wait for; cpu: for nothing that the server
-- counts as a wait, so they have a CPU or are ready for one. Names of waits were spelt otherwise before 17, hence lower().
-- The same by name for waits that were kept: demand/wait_classes.py.
with others as (
    select
        *,
        backend_type = 'client backend' as is_client,
        state = 'active' as is_active,
        wait_event_type = 'IO' or wait_event in ('BufferIO', 'WALWrite') as waits_for_io
    from pg_stat_activity
    where pid <> pg_backend_pid()
),
seen as (
    select
        pg_has_role(current_user, 'pg_read_all_stats', 'usage')
        and not exists (select from others where is_client and state = 'disabled') as tells_all
),
at_work as (
    select case
        when wait_event is null then 'cpu'
        when lower(wait_event) in ('walsync', 'walwrite') then 'commit'
        when wait_event = 'SyncRep' then 'standby'
        when lower(wait_event) in ('buffileread', 'buffilewrite') then 'temp'
        when lower(wait_event) in ('datafileread', 'datafileprefetch', 'aioiocompletion', 'aioiouringexecution', 'bufferio') then 'read'
        when wait_event_type = 'IO' then 'write'
        when wait_event_type = 'Lock' then 'lock'
        when wait_event_type in ('LWLock', 'BufferPin', 'Buffer') then 'latch'
        when wait_event_type in ('Client', 'Activity') then 'client'
        else 'other'
    end as waits_for
    from others
    where is_active and backend_type in ('client backend', 'parallel worker')
),
by_wait as (
    select
        count(*) filter (where waits_for = 'cpu')::float8 as at_work_cpu,
        count(*) filter (where waits_for = 'commit')::float8 as at_work_commit,
        count(*) filter (where waits_for = 'standby')::float8 as at_work_standby,
        count(*) filter (where waits_for = 'temp')::float8 as at_work_temp,
        count(*) filter (where waits_for = 'read')::float8 as at_work_read,
        count(*) filter (where waits_for = 'write')::float8 as at_work_write,
        count(*) filter (where waits_for = 'lock')::float8 as at_work_lock,
        count(*) filter (where waits_for = 'latch')::float8 as at_work_latch,
        count(*) filter (where waits_for = 'client')::float8 as at_work_client,
        count(*) filter (where waits_for = 'other')::float8 as at_work_other
    from at_work
)
select
    (select count(*) from pg_database)::float8 as databases,
    pg_is_in_recovery()::int::float8 as in_recovery,
    count(*) filter (where is_client)::float8 as sessions,
    extract(epoch from max(clock_timestamp() - xact_start))::float8 as transaction_age_s_max,
    extract(epoch from max(clock_timestamp() - xact_start) filter (where is_active))::float8 as running_age_s_max,
    count(*) filter (where xact_start < clock_timestamp() - interval '2 seconds')::float8 as long_transactions,
    case when tells_all then count(*) filter (where is_client and is_active) end::float8 as sessions_active,
    case when tells_all then count(*) filter (where is_client and is_active and waits_for_io) end::float8 as sessions_waiting,
    by_wait.*
from others right join by_wait on true cross join seen
group by
    tells_all, at_work_cpu, at_work_commit, at_work_standby, at_work_temp, at_work_read, at_work_write, at_work_lock, at_work_latch,
    at_work_client, at_work_other
