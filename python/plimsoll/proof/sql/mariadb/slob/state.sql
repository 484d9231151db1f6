-- Whether the schema is there, and what its marker says.
select
    (select routine_comment from information_schema.routines
     where routine_schema = 'plimsoll_slob' and routine_name = 'plimsoll_marker') as marker
from information_schema.schemata
where schema_name = 'plimsoll_slob'
