-- Pages written by the background writer, in blocks.
select
    buffers_clean::float8 as buffers_clean,
    maxwritten_clean::float8 as maxwritten_clean,
    buffers_alloc::float8 as buffers_alloc,
    stats_reset
from pg_stat_bgwriter
