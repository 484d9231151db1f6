-- How often sessions and background processes waited for storage, and how long in all.
select event, total_waits, time_waited_micro from v$system_event
where event in (
    'db file sequential read', 'db file scattered read', 'db file parallel read', 'direct path read', 'direct path read temp',
    'direct path write', 'direct path write temp', 'db file parallel write', 'log file parallel write', 'log file sync'
)
