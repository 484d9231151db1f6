-- The process on the server's machine that serves this session.
select p.spid from v$process p join v$session s on s.paddr = p.addr where s.sid = sys_context('userenv', 'sid')
