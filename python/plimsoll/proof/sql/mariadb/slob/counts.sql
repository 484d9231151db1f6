-- What the server counted: rows found by key, rows changed, rows read by scans. They are the whole server's, of all sessions and
-- tables. Three things that it counts too are taken off. Rows of tables that last no longer than a statement, such as those of our
-- own readings. The end of each scan, which counts as a row. The row behind the last of each update, which is read to see the end.
select
    sum(case variable_name when 'ROWS_READ' then variable_value when 'COM_UPDATE' then -variable_value
        when 'HANDLER_READ_RND_NEXT' then -variable_value else if(variable_name = 'HANDLER_UPDATE', 0, variable_value) end),
    sum(if(variable_name = 'HANDLER_UPDATE', variable_value, 0)),
    sum(case variable_name when 'HANDLER_READ_RND_NEXT' then variable_value when 'ROWS_TMP_READ' then -variable_value
        when 'SELECT_SCAN' then -variable_value else 0 end)
from information_schema.global_status
where variable_name in ('ROWS_READ', 'ROWS_TMP_READ', 'HANDLER_READ_RND_NEXT', 'SELECT_SCAN', 'COM_UPDATE', 'HANDLER_UPDATE')
