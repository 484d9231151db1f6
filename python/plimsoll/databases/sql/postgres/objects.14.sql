-- Each relation of this database that takes up space, with what was counted of it. Blocks are of the server's block size. A
-- partitioned table or index holds nothing itself: it is named as the parent of its parts. Catalogs are there because their reads
-- are in the server's totals too, and are known by their numbers below the first that users' objects get (FirstNormalObjectId); temporary tables come and go with their session and are temporary space.
with counted as materialized (
    select
        oid, relnamespace, relname, relkind, relispartition, reltablespace, oid < 16384 as is_catalog,
        pg_relation_size(oid, 'main') + pg_relation_size(oid, 'fsm') + pg_relation_size(oid, 'vm') as size_bytes,
        pg_stat_get_blocks_fetched(oid) as blocks_fetched,
        pg_stat_get_blocks_hit(oid) as blocks_hit
    from pg_class
    where relkind in ('r', 'm', 't', 'i', 'S') and relpersistence <> 't'
),
owners as (
    select indexrelid as oid, indrelid as owner from pg_index
    union all
    select reltoastrelid, oid from pg_class where reltoastrelid <> 0
),
whole as (
    select inhrelid as oid, inhparent as owner from pg_inherits
)
select
    counted.oid::int8 as oid,
    own_schema.nspname as schema_name,
    counted.relname as name,
    counted.relkind::text as relkind,
    counted.relispartition as is_partition,
    counted.is_catalog,
    owners.owner::int8 as owner_oid,
    owner_schema.nspname as owner_schema_name,
    owner.relname as owner_name,
    whole_schema.nspname as whole_schema_name,
    whole_table.relname as whole_name,
    coalesce(
        pg_tablespace.spcname,
        (select spcname from pg_tablespace join pg_database on dattablespace = pg_tablespace.oid where datname = current_database())
    ) as tablespace_name,
    counted.size_bytes,
    counted.blocks_fetched - counted.blocks_hit as blocks_read,
    counted.blocks_hit,
    pg_stat_get_numscans(counted.oid) as scans,
    pg_stat_get_tuples_fetched(counted.oid) as rows_fetched,
    pg_stat_get_tuples_inserted(counted.oid) as rows_inserted,
    pg_stat_get_tuples_updated(counted.oid) as rows_updated,
    pg_stat_get_tuples_hot_updated(counted.oid) as rows_hot_updated,
    pg_stat_get_tuples_deleted(counted.oid) as rows_deleted,
    pg_stat_get_vacuum_count(counted.oid) + pg_stat_get_autovacuum_count(counted.oid)
        + pg_stat_get_analyze_count(counted.oid) + pg_stat_get_autoanalyze_count(counted.oid) as maintenance_runs
from counted
join pg_namespace own_schema on own_schema.oid = counted.relnamespace
left join pg_tablespace on pg_tablespace.oid = counted.reltablespace
left join owners on owners.oid = counted.oid
left join pg_class owner on owner.oid = owners.owner
left join pg_namespace owner_schema on owner_schema.oid = owner.relnamespace
left join whole on whole.oid = counted.oid and counted.relispartition
left join pg_class whole_table on whole_table.oid = whole.owner
left join pg_namespace whole_schema on whole_schema.oid = whole_table.relnamespace
where counted.blocks_fetched > 0 or not counted.is_catalog
