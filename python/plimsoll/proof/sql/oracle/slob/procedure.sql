-- The loop of a session. Each operation commits, and each commit waits for the log. What an update writes is never what was there:
-- from 12.2 on such an update would write no log.
create or replace procedure plimsoll_slob.operate_{number}(from_us number, until_us number, state varchar2) authid definer is
    type histogram is table of pls_integer index by pls_integer;
    selects histogram;
    updates histogram;
    scans histogram;
    commits histogram;
    select_count number := 0;
    select_blocks number := 0;
    update_count number := 0;
    update_blocks number := 0;
    update_failed number := 0;
    scan_count number := 0;
    scan_blocks number := 0;
    operations_left number := coalesce(json_value(state, '$.left' returning number), {work_loop});
    due_us number := coalesce(json_value(state, '$.due' returning number), from_us);
    serial number := coalesce(json_value(state, '$.serial' returning number), to_number(sys_context('userenv', 'sessionid')) * 1000000000);
    now_us number;
    begin_us number;
    commit_us number;
    first_us number;
    last_us number;
    late_us number := 0;
    key number;
    touched number;
    is_hot boolean;
    answer clob;
    answers sys_refcursor;
    deadlock exception;
    pragma exception_init(deadlock, -60);
    function instant return number is
        passed interval day(9) to second(6) := sys_extract_utc(systimestamp) - timestamp '1970-01-01 00:00:00';
    begin
        return extract(day from passed) * 86400000000 + extract(hour from passed) * 3600000000
            + extract(minute from passed) * 60000000 + round(extract(second from passed) * 1000000);
    end;
    procedure note(counts in out nocopy histogram, us number) is
        took number := greatest(0, least(us, 4294967295));
        shift pls_integer := 0;
        bucket pls_integer;
    begin
        while took >= 256 loop
            took := trunc(took / 2);
            shift := shift + 1;
        end loop;
        bucket := shift * 128 + took;
        counts(bucket) := case when counts.exists(bucket) then counts(bucket) else 0 end + 1;
    end;
    function pairs(counts histogram) return clob is
        listed clob := '[';
        bucket pls_integer := counts.first;
    begin
        while bucket is not null loop
            listed := listed || case when bucket > counts.first then ',' end || '[' || bucket || ',' || counts(bucket) || ']';
            bucket := counts.next(bucket);
        end loop;
        return listed || ']';
    end;
    function counted(operations number, blocks number, failed number, counts histogram) return clob is
    begin
        return '[' || operations || ',' || blocks || ',' || failed || ',' || pairs(counts) || ']';
    end;
begin
    now_us := instant;
    if from_us > now_us then
        dbms_session.sleep((from_us - now_us) / 1000000);
        now_us := instant;
    end if;
    loop
        exit when now_us >= until_us or ({work_loop} > 0 and operations_left = 0);
        if {think_frequency} > 0 and dbms_random.value * {think_frequency} < 1 then
            dbms_session.sleep({think_s_min} + dbms_random.value * ({think_s_max} - {think_s_min}));
            now_us := instant;
        end if;
        begin_us := now_us;
        if {rate_per_s} > 0 then
            exit when due_us >= until_us;
            if due_us > now_us then
                dbms_session.sleep((due_us - now_us) / 1000000);
                now_us := instant;
                late_us := greatest(late_us, now_us - trunc(due_us));
                begin_us := now_us;
            else
                begin_us := trunc(due_us);
            end if;
            due_us := due_us - ln(1 - dbms_random.value) * 1000000 / greatest({rate_per_s}, 0.000000001);
        end if;
        is_hot := {hot_schema_frequency} > 0 and dbms_random.value * {hot_schema_frequency} < 1;
        if dbms_random.value * 100 < {update_pct} then
            key := 1 + trunc(dbms_random.value * ({scale} - {blocks_updated} + 1));
            if {hotspot_frequency} > 0 and dbms_random.value * {hotspot_frequency} < 1 then
                key := {hotspot_offset} + 1 + trunc(dbms_random.value * ({hotspot} - {blocks_updated} + 1));
            end if;
            serial := serial + 1;
            begin
                if is_hot then
                    update /*+ index(t cf1_1_custid) */ plimsoll_slob.cf1_1 t set {changes} where custid >= key and custid < key + {blocks_updated};
                else
                    update /*+ index(t cf1_{number}_custid) */ plimsoll_slob.cf1_{number} t set {changes} where custid >= key and custid < key + {blocks_updated};
                end if;
                touched := sql%rowcount;
                commit_us := instant;
                commit write immediate wait;
                now_us := instant;
                note(commits, now_us - commit_us);
                note(updates, now_us - begin_us);
                update_count := update_count + 1;
                update_blocks := update_blocks + touched;
            exception
                when deadlock then
                    rollback;
                    now_us := instant;
                    update_failed := update_failed + 1;
            end;
        elsif dbms_random.value * 100 < {scan_pct} then
            if is_hot then
                select /*+ full(t) */ count(c2) into touched from plimsoll_slob.cf2_1 t;
            else
                select /*+ full(t) */ count(c2) into touched from plimsoll_slob.cf2_{number} t;
            end if;
            commit write immediate wait;
            now_us := instant;
            note(scans, now_us - begin_us);
            scan_count := scan_count + 1;
            scan_blocks := scan_blocks + touched;
        else
            key := 1 + trunc(dbms_random.value * ({scale} - {work_unit} + 1));
            if {hotspot_frequency} > 0 and dbms_random.value * {hotspot_frequency} < 1 then
                key := {hotspot_offset} + 1 + trunc(dbms_random.value * ({hotspot} - {work_unit} + 1));
            end if;
            if is_hot then
                select /*+ index(t cf1_1_custid) */ count(c2) into touched from plimsoll_slob.cf1_1 t where custid >= key and custid < key + {work_unit};
            else
                select /*+ index(t cf1_{number}_custid) */ count(c2) into touched from plimsoll_slob.cf1_{number} t where custid >= key and custid < key + {work_unit};
            end if;
            commit write immediate wait;
            now_us := instant;
            note(selects, now_us - begin_us);
            select_count := select_count + 1;
            select_blocks := select_blocks + touched;
        end if;
        first_us := coalesce(first_us, begin_us);
        last_us := now_us;
        operations_left := operations_left - 1;
    end loop;
    if {rate_per_s} > 0 and now_us < until_us then
        dbms_session.sleep((until_us - now_us) / 1000000);
    end if;
    answer := '{"began":' || coalesce(to_char(first_us), 'null') || ',"ended":' || coalesce(to_char(last_us), 'null')
        || ',"late":' || late_us || ',"done":' || case when {work_loop} > 0 and operations_left = 0 then 'true' else 'false' end
        || ',"state":{"left":' || operations_left || ',"due":' || to_char(round(due_us)) || ',"serial":' || to_char(serial) || '}'
        || ',"ops":{"select":' || counted(select_count, select_blocks, 0, selects)
        || ',"update":' || counted(update_count, update_blocks, update_failed, updates)
        || ',"scan":' || counted(scan_count, scan_blocks, 0, scans)
        || ',"commit":' || counted(update_count, 0, 0, commits) || '}}';
    open answers for select answer from dual;
    dbms_sql.return_result(answers);
end;
/
