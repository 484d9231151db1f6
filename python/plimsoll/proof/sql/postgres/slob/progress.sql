select coalesce(sum(pg_relation_size(c.oid)), 0)::bigint / current_setting('block_size')::bigint as blocks
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = 'plimsoll_slob' and c.relkind = 'r'
