-- When the newest reset of any of the small caches was.
select max(stats_reset) as reset_at from pg_stat_slru
