select setting from pg_settings where name = 'data_directory'
