-- What is in a schema and not among the names given, and what elsewhere is built upon it.
select what, what like 'trigger %' as acts from (
    select concat(case table_type when 'VIEW' then 'view ' when 'SEQUENCE' then 'sequence ' else 'table ' end, table_name) as what
    from information_schema.tables
    where table_schema = '{schema}' and table_type <> 'TEMPORARY' and table_name not in ({relations})
    union all
    select concat(lower(routine_type), ' ', routine_name) from information_schema.routines
    where routine_schema = '{schema}' and routine_name not in ({routines})
    union all
    select concat('event ', event_name) from information_schema.events where event_schema = '{schema}'
    union all
    select concat('trigger ', trigger_name, ' on table ', event_object_table) from information_schema.triggers
    where trigger_schema = '{schema}'
    union all
    select distinct concat('index ', index_name, ' on table ', table_name) from information_schema.statistics
    where table_schema = '{schema}' and table_name in ({relations}) and index_name not in ('PRIMARY', {relations})
    union all
    -- The setup makes keys alone.
    select distinct concat('constraint ', constraint_name, ' on table ', table_name) from information_schema.table_constraints
    where table_schema = '{schema}' and table_name in ({relations}) and constraint_type in ('CHECK', 'FOREIGN KEY')
    union all
    select concat('view ', table_schema, '.', table_name) from information_schema.views
    where table_schema <> '{schema}' and instr(view_definition, '`{schema}`.') > 0
    union all
    select distinct concat('foreign key ', constraint_name, ' of table ', table_schema, '.', table_name)
    from information_schema.key_column_usage
    where referenced_table_schema = '{schema}' and table_schema <> '{schema}'
    union all
    -- Dropped with the database, seen or not.
    select concat('what this user may not see without the privilege ', needed.privilege)
    from (select 'EVENT' as privilege union all select 'TRIGGER' union all select 'EXECUTE') needed
    where not exists (
        select 1 from information_schema.user_privileges p
        where p.privilege_type = needed.privilege
        and p.grantee in (concat('''', replace(current_user(), '@', '''@'''), ''''), concat('''', current_role(), '''@'''''))
    ) and not exists (
        select 1 from information_schema.schema_privileges p
        where p.privilege_type = needed.privilege and '{schema}' like p.table_schema
        and p.grantee in (concat('''', replace(current_user(), '@', '''@'''), ''''), concat('''', current_role(), '''@'''''))
    )
) foreign_things
order by what
