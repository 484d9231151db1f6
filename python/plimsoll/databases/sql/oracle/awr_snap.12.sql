declare
    taken number;
    answer sys_refcursor;
begin
    taken := dbms_workload_repository.create_snapshot();
    open answer for select taken from dual;
    dbms_sql.return_result(answer);
end;
/
