-- Never with cascade: a user that owns more is refused.
begin
    execute immediate 'drop procedure {schema}.{routine}';
exception when others then
    if sqlcode <> -4043 then raise; end if;
end;
/

begin
    execute immediate 'drop table {schema}.{table} purge';
exception when others then
    if sqlcode <> -942 then raise; end if;
end;
/

drop user {schema}
