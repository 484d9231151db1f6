-- The relations of this database, and those that all databases share, whose data stand in files by these numbers now: a rewrite
-- gives a relation another. The function knows mapped catalogs too, which have no number in pg_class. What belongs to no relation,
-- or to one that another session has not committed yet, is left out. A TOAST table goes by the name of its table.
select
    asked.tablespace::int8 as tablespace_oid,
    asked.number::int8 as number,
    coalesce(owner_schema.nspname, own_schema.nspname) as schema_name,
    coalesce(owner.relname, own.relname) as name,
    owner.oid is not null as is_toast
from unnest(%s::oid[], %s::oid[]) as asked (tablespace, number)
join pg_class own on own.oid = pg_filenode_relation(asked.tablespace, asked.number)
join pg_namespace own_schema on own_schema.oid = own.relnamespace
left join pg_class owner on owner.reltoastrelid = own.oid
left join pg_namespace owner_schema on owner_schema.oid = owner.relnamespace
