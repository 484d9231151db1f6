-- Rewrites the two large tables in the order of their dates. The generator writes them in the order of their keys, so
-- clustering by key would change nothing, whereas 12 of the 22 queries ask for a range of dates.
cluster plimsoll_tpch.orders using orders_date;
cluster plimsoll_tpch.lineitem using lineitem_ship_date;
