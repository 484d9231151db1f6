-- Whether the user is there, and what its marker says.
select
    (select c.comments from dba_tab_comments c where c.owner = 'PLIMSOLL_SLOB' and c.table_name = 'PLIMSOLL_MARKER') as marker
from dba_users u
where u.username = 'PLIMSOLL_SLOB'
