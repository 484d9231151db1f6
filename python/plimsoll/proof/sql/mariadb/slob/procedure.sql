-- A histogram is a text of 3456 numbers of six digits, since there are no arrays; which of them were ever counted is written beside it,
-- four digits for each. Of the ways to count that there are this is the cheapest that does not itself read or write a table.
create or replace procedure plimsoll_slob.plimsoll_pairs(in counts varbinary(20736), in seen mediumtext, out pairs mediumtext)
begin
    declare at int default 1;
    declare bucket int;
    set pairs = '';
    while at <= length(seen) do
        set bucket = substr(seen, at, 4);
        set pairs = concat(pairs, if(at > 1, ',[', '['), bucket, ',', substr(counts, bucket * 6 + 1, 6) + 0, ']');
        set at = at + 4;
    end while;
end

create or replace procedure plimsoll_slob.operate_{number}(from_us bigint, until_us bigint, state text)
begin
    declare selects varbinary(20736) default repeat('000000', 3456);
    declare updates varbinary(20736) default selects;
    declare scans varbinary(20736) default selects;
    declare commits varbinary(20736) default selects;
    declare select_seen, update_seen, scan_seen, commit_seen mediumtext default '';
    declare select_pairs, update_pairs, scan_pairs, commit_pairs mediumtext;
    declare select_count, select_blocks, update_count, update_blocks, scan_count, scan_blocks bigint default 0;
    declare select_failed, update_failed, scan_failed bigint default 0;
    declare operations_left bigint default coalesce(json_value(state, '$.left'), {work_loop});
    declare due_us double default coalesce(json_value(state, '$.due'), from_us);
    -- An update that changes nothing writes no log, so no two sessions, nor two runs, may write the same.
    declare serial bigint default coalesce(json_value(state, '$.serial'), (connection_id() * 1000 + mod(unix_timestamp(), 1000)) * 1000000000);
    declare now_us, begin_us, commit_us, first_us, last_us, took, chosen, touched bigint;
    declare late_us bigint default 0;
    declare bucket, cell int;
    declare is_hot, failed bool default false;
    -- A deadlock, or a lock that another session held for too long: the operation is undone and counted as failed.
    declare continue handler for 1205, 1213 begin set failed = true; rollback; end;
    set now_us = timestampdiff(microsecond, '1970-01-01', sysdate(6));
    if from_us > now_us then
        do sleep((from_us - now_us) / 1000000);
        set now_us = timestampdiff(microsecond, '1970-01-01', sysdate(6));
    end if;
    working: while now_us < until_us and ({work_loop} = 0 or operations_left > 0) do
        if {think_frequency} > 0 and rand() * {think_frequency} < 1 then
            do sleep({think_s_min} + rand() * ({think_s_max} - {think_s_min}));
            set now_us = timestampdiff(microsecond, '1970-01-01', sysdate(6));
        end if;
        set begin_us = now_us;
        if {rate_per_s} > 0 then
            if due_us >= until_us then leave working; end if;
            if due_us > now_us then
                do sleep((due_us - now_us) / 1000000);
                set now_us = timestampdiff(microsecond, '1970-01-01', sysdate(6));
                set late_us = greatest(late_us, now_us - floor(due_us));
                set begin_us = now_us;
            else
                set begin_us = floor(due_us);
            end if;
            set due_us = due_us - ln(1 - rand()) * 1000000 / greatest({rate_per_s}, 1e-9);
        end if;
        set is_hot = {hot_schema_frequency} > 0 and rand() * {hot_schema_frequency} < 1, failed = false;
        if rand() * 100 < {update_pct} then
            set chosen = 1 + floor(rand() * ({scale} - {blocks_updated} + 1));
            if {hotspot_frequency} > 0 and rand() * {hotspot_frequency} < 1 then
                set chosen = {hotspot_offset} + 1 + floor(rand() * ({hotspot} - {blocks_updated} + 1));
            end if;
            set serial = serial + 1;
            if is_hot then
                update plimsoll_slob.cf1_1 force index (cf1_1_custid) set {changes} where custid >= chosen and custid < chosen + {blocks_updated};
            else
                update plimsoll_slob.cf1_{number} force index (cf1_{number}_custid) set {changes} where custid >= chosen and custid < chosen + {blocks_updated};
            end if;
            set touched = row_count();
            set commit_us = timestampdiff(microsecond, '1970-01-01', sysdate(6));
            commit;
            set now_us = timestampdiff(microsecond, '1970-01-01', sysdate(6));
            if failed then
                set update_failed = update_failed + 1;
            else
                set took = greatest(0, least(now_us - commit_us, 4294967295));
                set bucket = if(took < 256, 0, length(bin(took)) - 8);
                set bucket = bucket * 128 + (took >> bucket);
                set cell = substr(commits, bucket * 6 + 1, 6) + 1;
                if cell = 1 then set commit_seen = concat(commit_seen, lpad(bucket, 4, '0')); end if;
                set commits = insert(commits, bucket * 6 + 1, 6, lpad(cell, 6, '0'));
                set took = greatest(0, least(now_us - begin_us, 4294967295));
                set bucket = if(took < 256, 0, length(bin(took)) - 8);
                set bucket = bucket * 128 + (took >> bucket);
                set cell = substr(updates, bucket * 6 + 1, 6) + 1;
                if cell = 1 then set update_seen = concat(update_seen, lpad(bucket, 4, '0')); end if;
                set updates = insert(updates, bucket * 6 + 1, 6, lpad(cell, 6, '0'));
                set update_count = update_count + 1, update_blocks = update_blocks + touched;
            end if;
        elseif rand() * 100 < {scan_pct} then
            if is_hot then
                select count(c2) into touched from plimsoll_slob.cf2_1 use index ();
            else
                select count(c2) into touched from plimsoll_slob.cf2_{number} use index ();
            end if;
            commit;
            set now_us = timestampdiff(microsecond, '1970-01-01', sysdate(6));
            if failed then
                set scan_failed = scan_failed + 1;
            else
                set took = greatest(0, least(now_us - begin_us, 4294967295));
                set bucket = if(took < 256, 0, length(bin(took)) - 8);
                set bucket = bucket * 128 + (took >> bucket);
                set cell = substr(scans, bucket * 6 + 1, 6) + 1;
                if cell = 1 then set scan_seen = concat(scan_seen, lpad(bucket, 4, '0')); end if;
                set scans = insert(scans, bucket * 6 + 1, 6, lpad(cell, 6, '0'));
                set scan_count = scan_count + 1, scan_blocks = scan_blocks + touched;
            end if;
        else
            set chosen = 1 + floor(rand() * ({scale} - {work_unit} + 1));
            if {hotspot_frequency} > 0 and rand() * {hotspot_frequency} < 1 then
                set chosen = {hotspot_offset} + 1 + floor(rand() * ({hotspot} - {work_unit} + 1));
            end if;
            if is_hot then
                select count(c2) into touched from plimsoll_slob.cf1_1 force index (cf1_1_custid) where custid >= chosen and custid < chosen + {work_unit};
            else
                select count(c2) into touched from plimsoll_slob.cf1_{number} force index (cf1_{number}_custid) where custid >= chosen and custid < chosen + {work_unit};
            end if;
            commit;
            set now_us = timestampdiff(microsecond, '1970-01-01', sysdate(6));
            if failed then
                set select_failed = select_failed + 1;
            else
                set took = greatest(0, least(now_us - begin_us, 4294967295));
                set bucket = if(took < 256, 0, length(bin(took)) - 8);
                set bucket = bucket * 128 + (took >> bucket);
                set cell = substr(selects, bucket * 6 + 1, 6) + 1;
                if cell = 1 then set select_seen = concat(select_seen, lpad(bucket, 4, '0')); end if;
                set selects = insert(selects, bucket * 6 + 1, 6, lpad(cell, 6, '0'));
                set select_count = select_count + 1, select_blocks = select_blocks + touched;
            end if;
        end if;
        set first_us = coalesce(first_us, begin_us), last_us = now_us, operations_left = operations_left - 1;
    end while;
    if {rate_per_s} > 0 and now_us < until_us then
        do sleep((until_us - now_us) / 1000000);
    end if;
    call plimsoll_slob.plimsoll_pairs(selects, select_seen, select_pairs);
    call plimsoll_slob.plimsoll_pairs(updates, update_seen, update_pairs);
    call plimsoll_slob.plimsoll_pairs(scans, scan_seen, scan_pairs);
    call plimsoll_slob.plimsoll_pairs(commits, commit_seen, commit_pairs);
    select concat(
        '{"began":', coalesce(first_us, 'null'), ',"ended":', coalesce(last_us, 'null'), ',"late":', late_us,
        ',"done":', if({work_loop} > 0 and operations_left = 0, 'true', 'false'),
        ',"state":{"left":', operations_left, ',"due":', due_us, ',"serial":', serial, '}',
        ',"ops":{"select":[', select_count, ',', select_blocks, ',', select_failed, ',[', select_pairs, ']]',
        ',"update":[', update_count, ',', update_blocks, ',', update_failed, ',[', update_pairs, ']]',
        ',"scan":[', scan_count, ',', scan_blocks, ',', scan_failed, ',[', scan_pairs, ']]',
        ',"commit":[', update_count, ',0,0,[', commit_pairs, ']]}}'
    ) as answer;
end
