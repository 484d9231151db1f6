-- Where files of this database lie: its number, by which its folders are called, and the tablespaces that lie elsewhere.
select
    (select oid::int8 from pg_database where datname = current_database()) as database_oid,
    array(select oid::int8 from pg_tablespace where pg_tablespace_location(oid) <> '' order by oid) as tablespace_oids,
    array(select pg_tablespace_location(oid) from pg_tablespace where pg_tablespace_location(oid) <> '' order by oid)
        as locations
