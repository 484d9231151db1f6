-- Leaf pages of the clustered index hold the rows, and nothing else does. Of an index smaller than its sample the server does not
-- count the leaves; such a one has a single page above them, or is itself the only page.
select
    (select count(*) from plimsoll_slob.{table}) as row_count,
    (select case max(if(stat_name = 'size', stat_value, 0)) <= 21
            when 1 then greatest(1, max(if(stat_name = 'size', stat_value, 0)) - 1)
            else max(if(stat_name = 'n_leaf_pages', stat_value, 0)) end
     from mysql.innodb_index_stats
     where database_name = 'plimsoll_slob' and table_name = '{table}'
     and index_name = 'PRIMARY' and stat_name in ('size', 'n_leaf_pages')) as blocks
