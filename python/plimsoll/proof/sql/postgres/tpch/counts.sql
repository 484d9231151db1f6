-- What the whole database did so far: workers of parallel queries hand in theirs before the query returns.
select blks_read, blks_hit, temp_bytes, current_setting('block_size')::bigint,
       case when current_setting('track_io_timing')::boolean then blk_read_time / 1000 end
from pg_stat_database where datname = current_database();
