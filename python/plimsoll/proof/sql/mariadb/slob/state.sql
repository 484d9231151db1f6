-- Whether the schema is there, what its marker says, and which tables in it are not ours.
select
    (select routine_comment from information_schema.routines
     where routine_schema = 'plimsoll_slob' and routine_name = 'plimsoll_marker') as marker,
    (select group_concat(table_name order by table_name separator ', ') from information_schema.tables
     where table_schema = 'plimsoll_slob' and table_type <> 'TEMPORARY'
     and table_name not rlike '^(cf[12]|places_cf[12])_[0-9]+$') as foreign_names
from information_schema.schemata
where schema_name = 'plimsoll_slob'
