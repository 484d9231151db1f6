-- Pages written by checkpoints, by the background writer and by sessions themselves, in blocks; times are milliseconds.
select
    checkpoints_timed::float8 as checkpoints_timed,
    checkpoints_req::float8 as checkpoints_req,
    checkpoint_write_time::float8 as checkpoint_write_time,
    checkpoint_sync_time::float8 as checkpoint_sync_time,
    buffers_checkpoint::float8 as buffers_checkpoint,
    buffers_clean::float8 as buffers_clean,
    maxwritten_clean::float8 as maxwritten_clean,
    buffers_backend::float8 as buffers_backend,
    buffers_backend_fsync::float8 as buffers_backend_fsync,
    buffers_alloc::float8 as buffers_alloc,
    stats_reset
from pg_stat_bgwriter
