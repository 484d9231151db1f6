-- Transactions that ended, where these counters were switched on. Times are in the system's zone, so how far it is off is told too.
select name, count as value, time_enabled as enabled_at, timestampdiff(second, utc_timestamp(), sysdate()) as zone_s
from information_schema.innodb_metrics
where enabled = 1 and name in ('trx_rw_commits', 'trx_ro_commits', 'trx_nl_ro_commits', 'trx_rollbacks')
