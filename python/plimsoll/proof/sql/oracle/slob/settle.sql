begin
    dbms_stats.gather_table_stats('PLIMSOLL_SLOB', upper('{table}'));
end;
/
