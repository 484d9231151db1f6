-- Checkpoints, restartpoints of a standby, and the pages that they wrote, in blocks; times are milliseconds. A checkpoint that
-- found nothing to do is counted as timed or requested, and not as done.
select
    num_timed::float8 as num_timed,
    num_requested::float8 as num_requested,
    num_done::float8 as num_done,
    restartpoints_timed::float8 as restartpoints_timed,
    restartpoints_req::float8 as restartpoints_req,
    restartpoints_done::float8 as restartpoints_done,
    write_time::float8 as write_time,
    sync_time::float8 as sync_time,
    buffers_written::float8 as buffers_written,
    stats_reset
from pg_stat_checkpointer
