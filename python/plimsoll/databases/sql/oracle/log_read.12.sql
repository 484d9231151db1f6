-- What this instance has written into its alert log since a moment, in the time of the world: errors, warnings, and its own
-- words on a log that is too small. Instants of that form compare as text.
select to_char(sys_extract_utc(originating_timestamp), 'YYYY-MM-DD HH24:MI:SS') as at, message_type as kind, message_text as message
from v$diag_alert_ext
where to_char(sys_extract_utc(originating_timestamp), 'YYYY-MM-DD HH24:MI:SS.FF6') > :1
    and (
        message_type in (2, 3, 4) or message_text like '%ORA-%'
        or message_text like '%heckpoint not complete%' or message_text like '%annot allocate new log%'
    )
    and rownum <= 2000
