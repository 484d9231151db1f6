-- Keys and the two indexes that transactions look things up by; one statement a line, because they are made side by side.
alter table plimsoll_orders.item add primary key (i_id);
alter table plimsoll_orders.warehouse add primary key (w_id);
alter table plimsoll_orders.district add primary key (d_w_id, d_id);
alter table plimsoll_orders.stock add primary key (s_w_id, s_i_id);
alter table plimsoll_orders.customer add primary key (c_w_id, c_d_id, c_id);
create index customer_by_name on plimsoll_orders.customer (c_w_id, c_d_id, c_last, c_first);
alter table plimsoll_orders.orders add primary key (o_w_id, o_d_id, o_id);
create index orders_by_customer on plimsoll_orders.orders (o_w_id, o_d_id, o_c_id, o_id);
alter table plimsoll_orders.new_order add primary key (no_w_id, no_d_id, no_o_id);
alter table plimsoll_orders.order_line add primary key (ol_w_id, ol_d_id, ol_o_id, ol_number);
