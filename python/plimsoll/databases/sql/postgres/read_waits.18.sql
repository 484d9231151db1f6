-- Relations of this database that sessions wait for in a read at this moment: an I/O of the session that waits is in pg_aios. What was
-- read ahead and is done stays there until its buffers are taken, and nobody waits for it. A session whose reads under way are of several
-- relations counts for each in part; no relation: of another database, a temporary one, or one whose I/O ended meanwhile.
with sessions as materialized (
    select pid
    from pg_stat_activity
    where
        wait_event_type = 'IO' and wait_event in ('DataFileRead', 'AioIoCompletion', 'AioIoUringExecution')
        and backend_type in ('client backend', 'parallel worker', 'background worker') and pid <> pg_backend_pid()
),
handles as materialized (
    select
        pid,
        regexp_match(target_desc, 'file "(?:base|pg_tblspc/(\d+)/[^/"]+)/(\d+)/(\d+)"') as place,
        count(*) over (partition by pid) as handles_of_session
    from pg_aios
    where
        operation = 'readv' and state in ('DEFINED', 'STAGED', 'SUBMITTED', 'COMPLETED_IO')
        and pid in (select pid from sessions)
),
placed as (
    select
        case
            when place[2]::oid = (select oid from pg_database where datname = current_database())
                then pg_filenode_relation(coalesce(place[1], '0')::oid, place[3]::oid)::oid::int8
        end as relation_oid,
        1.0 / handles_of_session as sessions
    from handles
    union all
    select null, 1.0 from sessions where pid not in (select pid from handles)
)
select relation_oid, sum(sessions)::float8 as sessions
from placed
group by relation_oid
