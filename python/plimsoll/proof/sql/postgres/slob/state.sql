-- Whether the schema is there, what its comment says, and which tables in it are not ours.
select
    obj_description(n.oid, 'pg_namespace') as marker,
    (select string_agg(c.relname, ', ' order by c.relname) from pg_class c
     where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and c.relname !~ '^cf[12]_[0-9]+$') as foreign_names
from pg_namespace n
where n.nspname = 'plimsoll_slob'
