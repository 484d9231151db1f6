-- The file that the server writes its log to now, and how long it is; without a name it writes none of that form.
select l.name, (pg_stat_file(l.name, true)).size::bigint as bytes, current_setting('lc_messages') as language
from pg_current_logfile('stderr') as l(name)
