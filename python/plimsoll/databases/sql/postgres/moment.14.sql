-- Values of the moment. A session hands in its counters between transactions, so long transactions say how late they are.
select
    (select count(*) from pg_database)::float8 as databases,
    count(*) filter (where backend_type = 'client backend')::float8 as sessions,
    extract(epoch from max(clock_timestamp() - xact_start))::float8 as transaction_age_s_max,
    count(*) filter (where xact_start < clock_timestamp() - interval '2 seconds')::float8 as long_transactions
from pg_stat_activity
where pid <> pg_backend_pid()
