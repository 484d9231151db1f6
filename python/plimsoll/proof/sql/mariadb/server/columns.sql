-- Every column of the tables of these names in a database.
select table_name, column_name from information_schema.columns
where table_schema = '{schema}' and table_name in ({tables})
order by table_name, ordinal_position
