-- Dirty pages are written and the log's checkpoint goes on, before the statement returns; older releases have no such variable.
set global innodb_log_checkpoint_now = on
