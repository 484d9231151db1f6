-- Who we are here, and which server this is.
select
    current_user() as user_name,
    coalesce(database(), '') as database_name,
    version() as version,
    @@server_uuid as system_identifier
