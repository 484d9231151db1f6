-- Whether the user is there, what its marker says, and which tables of it are not ours.
select
    (select c.comments from dba_tab_comments c where c.owner = 'PLIMSOLL_SLOB' and c.table_name = 'PLIMSOLL_MARKER') as marker,
    (select listagg(t.table_name, ', ') within group (order by t.table_name) from dba_tables t
     where t.owner = 'PLIMSOLL_SLOB' and t.table_name <> 'PLIMSOLL_MARKER'
     and not regexp_like(t.table_name, '^CF[12]_[0-9]+$')) as foreign_names
from dba_users u
where u.username = 'PLIMSOLL_SLOB'
