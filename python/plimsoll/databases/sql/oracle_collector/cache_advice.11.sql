-- What another size of a buffer cache would mean, as the database itself estimates.
select ':P|' || inst_id || '|' || row_number() over (order by name, block_size, size_for_estimate, inst_id)
    || '|' || count(*) over ()
    || '|' || name || '|' || block_size || '|' || size_for_estimate || '|' || size_factor || '|' || buffers_for_estimate
    || '|' || estd_physical_read_factor || '|' || estd_physical_reads || '|.'
from gv$db_cache_advice
where advice_status = 'ON'
order by name, block_size, size_for_estimate, inst_id;
