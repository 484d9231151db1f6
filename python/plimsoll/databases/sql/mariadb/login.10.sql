-- Who we are here, and which server this is. Releases without an identifier of their own are told apart by where their data lie.
select
    current_user() as user_name,
    coalesce(database(), '') as database_name,
    version() as version,
    coalesce(
        (select variable_value from information_schema.global_variables where variable_name = 'SERVER_UID'),
        sha1(concat_ws('/', @@hostname, @@port, @@datadir))
    ) as system_identifier
