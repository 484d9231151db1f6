-- After the load: an index that grows row by row would be twice as large.
create index {table}_custid on plimsoll_slob.{table} (custid) with (fillfactor = 100)
