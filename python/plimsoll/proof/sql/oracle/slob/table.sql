-- One row for each block: the first row is put in, its block is taken as the measure for all, then the table is emptied.
create table plimsoll_slob.{table} (custid number(19), {columns}) pctfree 99 nocompress

insert into plimsoll_slob.{table} (custid) values (0)

alter table plimsoll_slob.{table} minimize records_per_block

truncate table plimsoll_slob.{table}
