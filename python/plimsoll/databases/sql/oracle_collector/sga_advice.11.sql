-- What another size of the SGA would mean, as the database itself estimates.
select ':A|' || inst_id || '|' || row_number() over (order by sga_size, inst_id) || '|' || count(*) over ()
    || '|' || sga_size || '|' || sga_size_factor || '|' || estd_db_time || '|' || estd_db_time_factor
    || '|' || estd_physical_reads || '|.'
from gv$sga_target_advice
order by sga_size, inst_id;
