-- Small caches of the server's own (transactions, subtransactions, notifications …), in pages of 8 KiB.
select name, blks_zeroed, blks_hit, blks_read, blks_written, blks_exists, flushes, truncates
from pg_stat_slru
