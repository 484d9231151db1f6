-- The wait. From release 18 on everybody may call DBMS_SESSION.SLEEP. Before, DBMS_LOCK.SLEEP needs EXECUTE on DBMS_LOCK.
-- Without it the two moments are one: run the file a second time some minutes later then.
begin
    $if dbms_db_version.version >= 18 $then dbms_session.sleep({wait_s}); $else dbms_lock.sleep({wait_s}); $end
end;
/
