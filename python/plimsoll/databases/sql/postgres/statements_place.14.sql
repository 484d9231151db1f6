-- Where pg_stat_statements answers, and of which version it is: where the server has loaded it, which its own setting tells, and
-- its version counts what it let go.
select quote_ident(nspname) as schema, extversion as version
from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
where extname = 'pg_stat_statements'
    and exists (select from pg_settings where name = 'pg_stat_statements.max')
    and to_regclass(quote_ident(nspname) || '.pg_stat_statements_info') is not null
