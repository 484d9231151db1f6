-- Leaf pages of the clustered index hold the rows, and nothing else does.
select
    (select count(*) from plimsoll_slob.{table}) as row_count,
    (select stat_value from mysql.innodb_index_stats
     where database_name = 'plimsoll_slob' and table_name = '{table}'
     and index_name = 'PRIMARY' and stat_name = 'n_leaf_pages') as blocks
