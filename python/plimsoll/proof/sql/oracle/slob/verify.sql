-- Blocks by the places of the rows themselves.
select
    count(*) as row_count,
    count(distinct dbms_rowid.rowid_relative_fno(t.rowid) || '.' || dbms_rowid.rowid_block_number(t.rowid)) as blocks
from plimsoll_slob.{table} t
