-- Tables, materialised views, indexes, TOAST tables and sequences of this database of which anything was counted. The functions under
-- the views are called directly, because the views join each table with all its indexes first and take three times as long.
-- Temporary tables come and go with their session. Of indexes and sequences nothing is asked that only tables have. `offset 0` has
-- the functions called once for each relation, and holds no row back as a materialised part would, which goes to a file.
with owners as (
    select indexrelid as oid, indrelid as owner from pg_index
    union all
    select reltoastrelid, oid from pg_class where reltoastrelid <> 0
),
counted as (
    select
        oid, relkind, relnamespace, relname, relkind in ('r', 'm', 't') as is_table,
        pg_stat_get_numscans(oid) as scans,
        pg_stat_get_blocks_fetched(oid) as blks_fetched
    from pg_class
    where relkind in ('r', 'm', 't', 'i', 'S') and relpersistence <> 't'
    offset 0
)
select
    counted.oid::int8 as oid,
    relkind,
    nspname as schema_name,
    relname as name,
    owner::int8 as table_oid,
    scans,
    pg_stat_get_tuples_returned(counted.oid) as rows_returned,
    pg_stat_get_tuples_fetched(counted.oid) as rows_fetched,
    blks_fetched - pg_stat_get_blocks_hit(counted.oid) as blks_read,
    pg_stat_get_blocks_hit(counted.oid) as blks_hit,
    case when is_table then pg_stat_get_tuples_inserted(counted.oid) else 0 end as rows_inserted,
    case when is_table then pg_stat_get_tuples_updated(counted.oid) else 0 end as rows_updated,
    case when is_table then pg_stat_get_tuples_hot_updated(counted.oid) else 0 end as rows_hot_updated,
    case when is_table then pg_stat_get_tuples_deleted(counted.oid) else 0 end as rows_deleted,
    case when is_table then pg_stat_get_vacuum_count(counted.oid) else 0 end as vacuums,
    case when is_table then pg_stat_get_autovacuum_count(counted.oid) else 0 end as autovacuums,
    case when is_table then pg_stat_get_analyze_count(counted.oid) else 0 end as analyzes,
    case when is_table then pg_stat_get_autoanalyze_count(counted.oid) else 0 end as autoanalyzes
from counted
join pg_namespace on pg_namespace.oid = relnamespace
left join owners on owners.oid = counted.oid
where blks_fetched > 0 or scans > 0
    or is_table and pg_stat_get_vacuum_count(counted.oid) + pg_stat_get_autovacuum_count(counted.oid)
        + pg_stat_get_analyze_count(counted.oid) + pg_stat_get_autoanalyze_count(counted.oid) > 0
