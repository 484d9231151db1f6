-- Every column of the tables of these names in a schema.
select c.relname, a.attname from pg_attribute a
join pg_class c on c.oid = a.attrelid
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = %s and c.relname = any(%s) and a.attnum > 0 and not a.attisdropped
order by c.relname, a.attnum
