-- Blocks read and found in cache, by table of this database with its indexes and TOAST. The functions under the views are
-- called directly, because the views join each table with all its indexes first and take three times as long.
with counted as materialized (
    select
        oid, relkind, reltoastrelid,
        pg_stat_get_blocks_fetched(oid) as fetched,
        pg_stat_get_blocks_hit(oid) as hit,
        pg_stat_get_numscans(oid) as scans
    from pg_class
    where relkind in ('r', 'm', 't', 'i')
),
heaps as (
    select oid as table_oid, oid as heap_oid from counted where relkind in ('r', 'm')
    union all
    select oid, reltoastrelid from counted where relkind in ('r', 'm') and reltoastrelid <> 0
),
parts as (
    select heaps.table_oid, false as is_index, counted.fetched, counted.hit, null::int8 as index_scans
    from heaps join counted on counted.oid = heaps.heap_oid
    union all
    select heaps.table_oid, true, counted.fetched, counted.hit,
           case when heaps.table_oid = heaps.heap_oid then counted.scans end
    from heaps
    join pg_index on pg_index.indrelid = heaps.heap_oid
    join counted on counted.oid = pg_index.indexrelid
)
select
    pg_namespace.nspname as schema_name,
    pg_class.relname as name,
    (sum(fetched - hit) filter (where not is_index))::int8 as heap_blocks_read,
    (sum(hit) filter (where not is_index))::int8 as heap_blocks_hit,
    coalesce(sum(fetched - hit) filter (where is_index), 0)::int8 as index_blocks_read,
    coalesce(sum(hit) filter (where is_index), 0)::int8 as index_blocks_hit,
    pg_stat_get_tuples_inserted(table_oid) as rows_inserted,
    pg_stat_get_tuples_updated(table_oid) as rows_updated,
    pg_stat_get_tuples_deleted(table_oid) as rows_deleted,
    pg_stat_get_tuples_hot_updated(table_oid) as rows_hot_updated,
    pg_stat_get_tuples_returned(table_oid) as rows_scanned,
    pg_stat_get_live_tuples(table_oid) as rows_live,
    pg_stat_get_dead_tuples(table_oid) as rows_dead,
    pg_stat_get_numscans(table_oid) as sequential_scans,
    sum(index_scans)::int8 as index_scans
from parts
join pg_class on pg_class.oid = table_oid
join pg_namespace on pg_namespace.oid = pg_class.relnamespace
group by table_oid, pg_namespace.nspname, pg_class.relname
having sum(fetched) > 0
