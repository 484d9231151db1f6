-- Every column of the tables of these names of a user, but for those that the server hides.
select lower(table_name), lower(column_name) from dba_tab_columns
where owner = upper('{schema}') and lower(table_name) in ({tables})
order by table_name, column_id
