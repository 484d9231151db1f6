-- A user that nobody can log in as (18c and later), with room in the database's default tablespace.
declare
    place varchar2(128);
begin
    select property_value into place from database_properties where property_name = 'DEFAULT_PERMANENT_TABLESPACE';
    execute immediate 'create user plimsoll_slob no authentication default tablespace "' || place || '" quota unlimited on "' || place || '"';
end;
/

-- The marker is a comment of this table: 4000 letters, enough for some 50 schemas.
create table plimsoll_slob.plimsoll_marker (nothing number)

comment on table plimsoll_slob.plimsoll_marker is '{marker}'
