select count(*) as sessions from v$session where type = 'USER'
