-- Counts the pages once more, and never again while a run is going on.
alter table plimsoll_slob.{table} stats_persistent = 1 stats_auto_recalc = 0

analyze table plimsoll_slob.{table}
