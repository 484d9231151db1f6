-- What a user owns and is not among the names given, and what others built upon it.
select what, case when what like 'trigger %' then 1 else 0 end as acts from (
    select lower(o.object_type) || ' ' || o.object_name as what from dba_objects o
    where o.owner = upper('{schema}') and o.generated = 'N' and o.object_type <> 'LOB'
    and lower(o.object_name) not in ({relations}, {routines})
    union
    select lower(d.type) || ' ' || d.owner || '.' || d.name from dba_dependencies d
    where d.referenced_owner = upper('{schema}') and d.owner not in (upper('{schema}'), 'SYS')
    union
    select 'foreign key ' || c.constraint_name || ' of table ' || c.owner || '.' || c.table_name from dba_constraints c
    where c.constraint_type = 'R' and c.r_owner = upper('{schema}') and c.owner <> upper('{schema}')
    union
    select 'trigger ' || t.owner || '.' || t.trigger_name from dba_triggers t
    where t.table_owner = upper('{schema}') and t.owner <> upper('{schema}')
)
order by what
