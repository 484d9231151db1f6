-- A row of 2.4 kB and a fill factor of a tenth: one row for each block, with room for its next version in the same block.
-- Stored plainly, since a compressed or moved column would change how many blocks a row touches.
create table plimsoll_slob.{table} (custid bigint, {columns}) with (fillfactor = 10)

alter table plimsoll_slob.{table} {plain}
