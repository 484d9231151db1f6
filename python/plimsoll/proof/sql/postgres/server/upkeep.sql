-- How many tables the server has tended of its own accord until now: each takes it a few transactions, which it counts among the others.
select coalesce(sum(pg_stat_get_autovacuum_count(oid) + pg_stat_get_autoanalyze_count(oid)), 0)::bigint as upkeep
from pg_class
where relkind in ('r', 't', 'm')
