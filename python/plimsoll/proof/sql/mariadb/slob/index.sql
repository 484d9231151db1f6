create index {table}_custid on plimsoll_slob.{table} (custid)
