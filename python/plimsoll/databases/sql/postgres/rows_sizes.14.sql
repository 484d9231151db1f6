-- Sizes of one share of the relations, which stays the same while their number does. To ask for a size waits for whoever holds the
-- relation alone, so those are passed over.
with held as materialized (
    select relation
    from pg_locks
    where locktype = 'relation' and mode = 'AccessExclusiveLock'
        and database = (select oid from pg_database where datname = current_database())
)
select
    oid::int8 as oid,
    pg_relation_size(oid, 'main') + pg_relation_size(oid, 'fsm') + pg_relation_size(oid, 'vm') as size_bytes
from pg_class
where relkind in ('r', 'm', 't', 'i', 'S') and relpersistence <> 't'
    and abs(hashoid(oid)::int8) % {shares} = {share}
    and oid not in (select relation from held)
