-- Sessions at work, by what they do. running: on a CPU or in reads, which this server does not tell apart. A session of another user
-- is seen with PROCESS only; without it the other view may not be read, so that nothing is counted as seen that is not.
-- A lock of InnoDB is told by its transaction, other locks and the end of a transaction by the session's state. From 10.6 on MariaDB
-- waits for the log just before it answers, in the state `Updating status`, in which a session does nothing else that takes time.
select
    count(*) as sessions_active,
    coalesce(sum(waits_for = 'commit'), 0) as at_work_commit,
    coalesce(sum(waits_for = 'standby'), 0) as at_work_standby,
    coalesce(sum(waits_for = 'lock'), 0) as at_work_lock,
    coalesce(sum(waits_for = 'client'), 0) as at_work_client,
    coalesce(sum(waits_for = 'running'), 0) as at_work_running
from (
    select case
        when transactions.trx_state = 'LOCK WAIT' then 'lock'
        when lower(sessions.state) like 'waiting for%lock%' then 'lock'
        when lower(sessions.state) like 'waiting for semi-sync%' then 'standby'
        when lower(sessions.state) in ('commit', 'updating status', 'waiting for handler commit') then 'commit'
        when lower(sessions.state) in ('reading from net', 'writing to net', 'sending to client', 'reset for next command') then 'client'
        else 'running'
    end as waits_for
    from information_schema.processlist as sessions
    left join information_schema.innodb_trx as transactions on transactions.trx_mysql_thread_id = sessions.id
    where sessions.command in ('Query', 'Execute', 'Prepare', 'Fetch') and sessions.id <> connection_id()
) as at_work
