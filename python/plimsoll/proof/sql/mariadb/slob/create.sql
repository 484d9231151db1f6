-- The marker is the comment of a procedure that does nothing: that of a schema may have no more than a thousand letters.
create database plimsoll_slob character set latin1

create procedure plimsoll_slob.plimsoll_marker() comment '{marker}' begin end

-- Rows that were deleted to make room are taken out in the background; a run must not begin beside that.
create procedure plimsoll_slob.plimsoll_ready()
begin
    declare tries int default 240;
    declare waiting bigint default 1;
    while waiting > 0 and tries > 0 do
        select variable_value into waiting from information_schema.global_status where variable_name = 'INNODB_HISTORY_LIST_LENGTH';
        if waiting > 0 then do sleep(0.25); end if;
        set tries = tries - 1;
    end while;
end
