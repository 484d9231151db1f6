declare
    taken number;
    answer sys_refcursor;
begin
    taken := perfstat.statspack.snap();
    open answer for select taken from dual;
    dbms_sql.return_result(answer);
end;
/
