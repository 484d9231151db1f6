-- How many relations have a size.
select count(*) as relations from pg_class where relkind in ('r', 'm', 't', 'i', 'S') and relpersistence <> 't'
