-- Notes where each district's orders end, and begins the ledger anew.
begin;
truncate plimsoll_orders.run_start, plimsoll_orders.ledger;
insert into plimsoll_orders.run_start
select d_w_id, d_id, d_next_o_id, clock_timestamp() from plimsoll_orders.district;
commit;
