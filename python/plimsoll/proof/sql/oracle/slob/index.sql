create index plimsoll_slob.{table}_custid on plimsoll_slob.{table} (custid) pctfree 0
