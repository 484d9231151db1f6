-- What the server counted for our tables: rows found by key, rows changed, rows read by scans.
select coalesce(sum(idx_tup_fetch), 0)::bigint, coalesce(sum(n_tup_upd), 0)::bigint, coalesce(sum(seq_tup_read), 0)::bigint
from pg_stat_user_tables where schemaname = 'plimsoll_slob'
