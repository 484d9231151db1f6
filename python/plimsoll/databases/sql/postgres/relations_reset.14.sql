-- When counters of this database, or of any of its tables, were last set to zero.
select stats_reset as reset_at from pg_stat_database where datname = current_database()
