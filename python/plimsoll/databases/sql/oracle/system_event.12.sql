-- How often sessions and background processes of all instances waited for storage, and how long in all.
select event, sum(total_waits) as total_waits, sum(time_waited_micro) as time_waited_micro from gv$system_event
where event in (
    'db file sequential read', 'db file scattered read', 'db file parallel read', 'direct path read', 'direct path read temp',
    'direct path write', 'direct path write temp', 'db file parallel write', 'log file parallel write', 'log file sync'
)
group by event
