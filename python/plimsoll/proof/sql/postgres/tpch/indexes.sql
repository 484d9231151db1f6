-- Primary keys, indexes on foreign keys, and indexes on the two dates by which most queries select. Both layouts have them all.
alter table plimsoll_tpch.region add primary key (r_regionkey);
alter table plimsoll_tpch.nation add primary key (n_nationkey);
create index nation_region on plimsoll_tpch.nation (n_regionkey);
alter table plimsoll_tpch.supplier add primary key (s_suppkey);
create index supplier_nation on plimsoll_tpch.supplier (s_nationkey);
alter table plimsoll_tpch.customer add primary key (c_custkey);
create index customer_nation on plimsoll_tpch.customer (c_nationkey);
alter table plimsoll_tpch.part add primary key (p_partkey);
alter table plimsoll_tpch.partsupp add primary key (ps_partkey, ps_suppkey);
create index partsupp_supplier on plimsoll_tpch.partsupp (ps_suppkey);
alter table plimsoll_tpch.orders add primary key (o_orderkey);
create index orders_customer on plimsoll_tpch.orders (o_custkey);
create index orders_date on plimsoll_tpch.orders (o_orderdate);
alter table plimsoll_tpch.lineitem add primary key (l_orderkey, l_linenumber);
create index lineitem_part_supplier on plimsoll_tpch.lineitem (l_partkey, l_suppkey);
create index lineitem_supplier on plimsoll_tpch.lineitem (l_suppkey);
create index lineitem_ship_date on plimsoll_tpch.lineitem (l_shipdate);
