begin
    dbms_workload_repository.modify_snapshot_settings(interval => %s);
end;
/
