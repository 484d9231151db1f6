-- InnoDB wants two rows in each page. So each row of ours comes with another of the same size in the same page, which is deleted
-- after the load; what is left is one row for each page. Pages are not merged again (MERGE_THRESHOLD), nor is any column moved out:
-- two rows of 8 kB just fill a page of 16 KiB.
create table plimsoll_slob.{table} (place bigint not null primary key, custid bigint, {columns}, room varbinary(5500))
engine = innodb row_format = dynamic character set latin1 comment = 'MERGE_THRESHOLD=1'
