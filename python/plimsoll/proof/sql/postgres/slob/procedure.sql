create or replace procedure plimsoll_slob.operate_{number}(from_us bigint, until_us bigint, state text, inout answer text)
language plpgsql as $$
declare
    doublings constant bigint[] := (select array_agg(256::bigint << n order by n) from generate_series(0, 24) n);
    selects bigint[] := array_fill(0::bigint, array[3456]);
    updates bigint[] := selects;
    scans bigint[] := selects;
    commits bigint[] := selects;
    select_count bigint := 0; select_blocks bigint := 0;
    update_count bigint := 0; update_blocks bigint := 0;
    scan_count bigint := 0; scan_blocks bigint := 0;
    operations_left bigint := coalesce((state::json->>'left')::bigint, {work_loop});
    due_us float8 := coalesce((state::json->>'due')::float8, from_us);
    serial bigint := coalesce((state::json->>'serial')::bigint, 0);
    now_us bigint; begin_us bigint; commit_us bigint; first_us bigint; last_us bigint; took bigint; shift int;
    late_us bigint := 0; is_hot boolean; key bigint; touched bigint; slept boolean;
begin
    now_us := (date_part('epoch', clock_timestamp()) * 1000000)::bigint;
    if from_us > now_us then
        perform pg_sleep((from_us - now_us) / 1000000.0);
        now_us := (date_part('epoch', clock_timestamp()) * 1000000)::bigint;
    end if;
    loop
        exit when now_us >= until_us or ({work_loop} > 0 and operations_left = 0);
        if {think_frequency} > 0 and random() * {think_frequency} < 1 then
            perform pg_sleep({think_s_min} + random() * ({think_s_max} - {think_s_min}));
            now_us := (date_part('epoch', clock_timestamp()) * 1000000)::bigint;
        end if;
        begin_us := now_us;
        if {rate_per_s} > 0 then
            exit when due_us >= until_us;
            slept := due_us > now_us;
            if slept then
                perform pg_sleep((due_us - now_us) / 1000000.0);
                now_us := (date_part('epoch', clock_timestamp()) * 1000000)::bigint;
                late_us := greatest(late_us, now_us - due_us::bigint);
                begin_us := now_us;
            else
                begin_us := due_us::bigint;
            end if;
            due_us := due_us - ln(1 - random()) * 1000000.0 / {rate_per_s};
        end if;
        is_hot := {hot_schema_frequency} > 0 and random() * {hot_schema_frequency} < 1;
        if random() * 100 < {update_pct} then
            key := 1 + floor(random() * ({scale} - {blocks_updated} + 1))::bigint;
            if {hotspot_frequency} > 0 and random() * {hotspot_frequency} < 1 then
                key := {hotspot_offset} + 1 + floor(random() * ({hotspot} - {blocks_updated} + 1))::bigint;
            end if;
            serial := serial + 1;
            if is_hot then
                update plimsoll_slob.cf1_1 set {changes} where custid >= key and custid < key + {blocks_updated};
            else
                update plimsoll_slob.cf1_{number} set {changes} where custid >= key and custid < key + {blocks_updated};
            end if;
            get diagnostics touched = row_count;
            commit_us := (date_part('epoch', clock_timestamp()) * 1000000)::bigint;
            commit;
            now_us := (date_part('epoch', clock_timestamp()) * 1000000)::bigint;
            took := greatest(0, least(now_us - commit_us, 4294967295));
            shift := width_bucket(took, doublings);
            commits[1 + shift * 128 + (took >> shift)] := commits[1 + shift * 128 + (took >> shift)] + 1;
            took := greatest(0, least(now_us - begin_us, 4294967295));
            shift := width_bucket(took, doublings);
            updates[1 + shift * 128 + (took >> shift)] := updates[1 + shift * 128 + (took >> shift)] + 1;
            update_count := update_count + 1;
            update_blocks := update_blocks + touched;
        elsif random() * 100 < {scan_pct} then
            if is_hot then
                select count(c2) into touched from plimsoll_slob.cf2_1;
            else
                select count(c2) into touched from plimsoll_slob.cf2_{number};
            end if;
            commit;
            now_us := (date_part('epoch', clock_timestamp()) * 1000000)::bigint;
            took := greatest(0, least(now_us - begin_us, 4294967295));
            shift := width_bucket(took, doublings);
            scans[1 + shift * 128 + (took >> shift)] := scans[1 + shift * 128 + (took >> shift)] + 1;
            scan_count := scan_count + 1;
            scan_blocks := scan_blocks + touched;
        else
            key := 1 + floor(random() * ({scale} - {work_unit} + 1))::bigint;
            if {hotspot_frequency} > 0 and random() * {hotspot_frequency} < 1 then
                key := {hotspot_offset} + 1 + floor(random() * ({hotspot} - {work_unit} + 1))::bigint;
            end if;
            if is_hot then
                select count(c2) into touched from plimsoll_slob.cf1_1 where custid >= key and custid < key + {work_unit};
            else
                select count(c2) into touched from plimsoll_slob.cf1_{number} where custid >= key and custid < key + {work_unit};
            end if;
            commit;
            now_us := (date_part('epoch', clock_timestamp()) * 1000000)::bigint;
            took := greatest(0, least(now_us - begin_us, 4294967295));
            shift := width_bucket(took, doublings);
            selects[1 + shift * 128 + (took >> shift)] := selects[1 + shift * 128 + (took >> shift)] + 1;
            select_count := select_count + 1;
            select_blocks := select_blocks + touched;
        end if;
        first_us := coalesce(first_us, begin_us);
        last_us := now_us;
        operations_left := operations_left - 1;
    end loop;
    if {rate_per_s} > 0 and now_us < until_us then
        perform pg_sleep((until_us - now_us) / 1000000.0);
    end if;
    {flush}
    answer := json_build_object(
        'began', first_us, 'ended', last_us, 'late', late_us,
        'done', {work_loop} > 0 and operations_left = 0,
        'state', json_build_object('left', operations_left, 'due', due_us, 'serial', serial),
        'ops', json_build_object(
            'select', json_build_array(select_count, select_blocks, 0,
                (select json_agg(json_build_array(i - 1, n)) from unnest(selects) with ordinality u(n, i) where n > 0)),
            'update', json_build_array(update_count, update_blocks, 0,
                (select json_agg(json_build_array(i - 1, n)) from unnest(updates) with ordinality u(n, i) where n > 0)),
            'scan', json_build_array(scan_count, scan_blocks, 0,
                (select json_agg(json_build_array(i - 1, n)) from unnest(scans) with ordinality u(n, i) where n > 0)),
            'commit', json_build_array(update_count, 0, 0,
                (select json_agg(json_build_array(i - 1, n)) from unnest(commits) with ordinality u(n, i) where n > 0))
        ));
end $$
