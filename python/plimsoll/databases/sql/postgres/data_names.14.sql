-- What databases and tablespaces are called by whose numbers folders are, and who answers.
select
    array(select oid::int8 from pg_database order by oid) as database_oids,
    array(select datname::text from pg_database order by oid) as databases,
    array(select oid::int8 from pg_tablespace order by oid) as tablespace_oids,
    array(select spcname::text from pg_tablespace order by oid) as tablespaces,
    pg_backend_pid() as pid
