-- Requests by type of file, small ones (less than 128 KiB) and large ones, with their megabytes and milliseconds.
select ':F|' || inst_id || '|' || row_number() over (order by filetype_name, inst_id) || '|' || count(*) over ()
    || '|' || replace(filetype_name, '|', '\7c') || '|' || sum(small_read_reqs) || '|' || sum(large_read_reqs)
    || '|' || sum(small_read_megabytes) || '|' || sum(large_read_megabytes)
    || '|' || sum(small_write_reqs) || '|' || sum(large_write_reqs)
    || '|' || sum(small_write_megabytes) || '|' || sum(large_write_megabytes)
    || '|' || sum(small_read_servicetime) || '|' || sum(large_read_servicetime) || '|.'
from gv$iostat_file
group by filetype_name, inst_id
order by filetype_name, inst_id;
