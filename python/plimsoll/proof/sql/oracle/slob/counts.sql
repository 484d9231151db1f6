-- What the server counted: rows found by key and read by scans, of all instances; rows changed, of our tables. Changes are kept
-- in memory until somebody asks for them to be written down.
declare
    answer sys_refcursor;
begin
    dbms_stats.flush_database_monitoring_info;
    open answer for
        select
            (select sum(value) from gv$sysstat where name = 'table fetch by rowid'),
            (select coalesce(sum(updates), 0) from dba_tab_modifications where table_owner = 'PLIMSOLL_SLOB'),
            (select sum(value) from gv$sysstat where name = 'table scan rows gotten')
        from dual;
    dbms_sql.return_result(answer);
end;
/
