-- What the server counted: rows found by key, rows changed, rows read by scans. They are the whole server's, of all sessions and
-- tables. Rows of tables that last no longer than a statement, such as those of our own readings, are left out.
select total.read_rows - scans.scanned, total.updated, scans.scanned
from (
    select
        sum(if(variable_name = 'ROWS_READ', variable_value, 0)) as read_rows,
        sum(if(variable_name = 'HANDLER_UPDATE', variable_value, 0)) as updated
    from information_schema.global_status
    where variable_name in ('ROWS_READ', 'HANDLER_UPDATE')
) total, (
    select sum(if(variable_name = 'ROWS_TMP_READ', -1, 1) * cast(variable_value as signed)) as scanned
    from information_schema.global_status
    where variable_name in ('HANDLER_READ_RND_NEXT', 'ROWS_TMP_READ')
) scans
