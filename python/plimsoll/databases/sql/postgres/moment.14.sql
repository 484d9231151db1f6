-- Values of the moment. A session hands in its counters when its transaction ends, so the oldest transaction says how late they are.
select
    (select count(*) from pg_database)::float8 as databases,
    (select count(*) from pg_stat_activity where backend_type = 'client backend')::float8 as sessions,
    (select extract(epoch from max(clock_timestamp() - xact_start))::float8
       from pg_stat_activity where pid <> pg_backend_pid()) as transaction_age_s_max
