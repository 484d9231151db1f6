-- The same by what the database did it for: log writer, buffer cache, direct reads and so on.
select ':U|' || inst_id || '|' || row_number() over (order by function_name, inst_id) || '|' || count(*) over ()
    || '|' || replace(function_name, '|', '\7c') || '|' || sum(small_read_reqs) || '|' || sum(large_read_reqs)
    || '|' || sum(small_read_megabytes) || '|' || sum(large_read_megabytes)
    || '|' || sum(small_write_reqs) || '|' || sum(large_write_reqs)
    || '|' || sum(small_write_megabytes) || '|' || sum(large_write_megabytes) || '|.'
from gv$iostat_function
group by function_name, inst_id
order by function_name, inst_id;
