-- Who is at work at this moment, and what for it waits: clients with their workers, and the server's own processes but for those that
-- wait for something to do. No wait: it has a CPU or is ready for one. unknown: it tells nobody (track_activities is off).
select
    coalesce(backend_type, 'unknown') as backend_type,
    case when state = 'disabled' then 'unknown' else wait_event_type end as wait_event_type,
    case when state <> 'disabled' or state is null then wait_event end as wait_event,
    count(*) as sessions
from pg_stat_activity
where pid <> pg_backend_pid()
    and (state in ('active', 'fastpath function call', 'disabled') or state is null and backend_type <> 'client backend')
    and wait_event_type is distinct from 'Activity'
group by 1, 2, 3
