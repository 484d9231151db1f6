select count(*) as sessions from gv$session where type = 'USER'
