-- Who we are here, and which rights decide what we see.
select
    current_user as user_name,
    current_database() as database_name,
    pg_has_role(current_user, 'pg_read_all_stats', 'usage') as sees_all_statistics,
    pg_is_in_recovery() as in_recovery
