-- Rewrites the two large tables in the order of their dates. The generator writes them in the order of their keys, so
-- clustering by key would change nothing, whereas 12 of the 22 queries ask for a range of dates.
-- Rows are sorted: to follow the index would be a random read for each row, which the server holds cheap if it believes in a cache.
set local enable_indexscan = off; cluster plimsoll_tpch.orders using orders_date;
set local enable_indexscan = off; cluster plimsoll_tpch.lineitem using lineitem_ship_date;
