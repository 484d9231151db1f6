alter session set time_zone = '+00:00'

begin
    dbms_random.seed(trunc({seed} * 2147483647));
end;
/

begin
    plimsoll_slob.operate_{number}(0, 0, '{}');
end;
/
