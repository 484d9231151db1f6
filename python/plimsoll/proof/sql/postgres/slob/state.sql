-- Whether the schema is there, and what its comment says.
select obj_description(n.oid, 'pg_namespace') as marker from pg_namespace n where n.nspname = 'plimsoll_slob'
