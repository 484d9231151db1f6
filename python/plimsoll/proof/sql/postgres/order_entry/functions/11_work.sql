-- The bucket of a latency as in proof/slices.py: exact below 256 µs, then 128 steps to each doubling. It ends at 2^36 µs, 19 hours.
create function plimsoll_orders.bucket(us bigint) returns int language plpgsql immutable as $$
declare
    doublings int := width_bucket(
        us,
        '{256,512,1024,2048,4096,8192,16384,32768,65536,131072,262144,524288,1048576,2097152,
        4194304,8388608,16777216,33554432,67108864,134217728,268435456,536870912,1073741824,2147483648,4294967296,8589934592,17179869184,34359738368}'::bigint[]
    );
begin
    return doublings * 128 + (us >> doublings);
end
$$;

-- Microseconds from the end of one transaction to the beginning of the next: thinking about the last, keying in the next.
-- Means are the specification's (clause 5.2.5.7); thinking is exponential, cut at ten times its mean.
create function plimsoll_orders.pause_us(me plimsoll_orders.terminal, last_kind int, next_kind int)
returns bigint language sql volatile as $$
    select (
        1000000 * (me).think_factor * (
            (array[12, 12, 10, 5, 5])[last_kind + 1] * least(10, -ln(1 - random()))
            + (array[18, 3, 2, 2, 2])[next_kind + 1]
        )
    )::bigint
$$;

-- Has the session's share in the server's own counters handed in at the end of this call, not when a second has passed. Before 15
-- that cannot be asked for.
create function plimsoll_orders.hand_in() returns void language plpgsql as $$
begin
    if current_setting('server_version_num')::int >= 150000 then
        perform pg_stat_force_next_flush();
    end if;
end
$$;

-- Works until the clock shows `until_us` and answers with what it did (proof/slices.py has the form). Each transaction is committed
-- by itself. No block here catches errors, since none of those may commit: locks are taken in one order by all transactions, so
-- that no deadlock can come about, and any other error ends the session with its message.
--
-- Latencies are counted in one array: for each of five kinds and the commit 3,840 buckets, which reach to 2^36 µs or 19 hours.
-- Few are ever used, so those are remembered: to hand in all of them would take milliseconds of each slice.
create procedure plimsoll_orders.work(
    from_us bigint, until_us bigint, state jsonb, terminal jsonb, inout answer text
) language plpgsql as $$
declare
    me plimsoll_orders.terminal := jsonb_populate_record(null::plimsoll_orders.terminal, terminal);
    counts bigint[] := array_fill(0::bigint, array[6 * 3840]);
    touched int[] := '{}';
    kind int := state ->> 'kind';
    due_us bigint := state ->> 'due_us';
    transactions bigint := coalesce((state ->> 'transactions')::bigint, 0);
    lines_entered bigint := coalesce((state ->> 'order_lines')::bigint, 0);
    rolled_back bigint := 0;
    first_us bigint;
    last_us bigint;
    late_us bigint := 0;
    at_us bigint;
    worked_us bigint;
    spent_us bigint;
    slot int;
    entered int;
begin
    at_us := plimsoll_orders.now_us();
    if from_us > at_us then
        perform pg_sleep((from_us - at_us) / 1e6);
        at_us := plimsoll_orders.now_us();
    end if;
    if kind is null then
        kind := width_bucket(random(), me.mix_ends);
        due_us := at_us + plimsoll_orders.pause_us(me, kind, kind);
    end if;
    while at_us < until_us loop
        if due_us > at_us then
            perform pg_sleep((least(due_us, until_us) - at_us) / 1e6);
            at_us := plimsoll_orders.now_us();
            continue;
        end if;
        if me.think_factor > 0 then
            late_us := greatest(late_us, at_us - due_us);
        end if;
        first_us := coalesce(first_us, at_us);
        entered := plimsoll_orders.transact(me, kind);
        worked_us := plimsoll_orders.now_us();
        if entered is null then
            rollback;
            last_us := plimsoll_orders.now_us();
            rolled_back := rolled_back + 1;
        else
            commit;
            last_us := plimsoll_orders.now_us();
            transactions := transactions + 1;
            lines_entered := lines_entered + entered;
            spent_us := greatest(last_us - at_us, 0);
            slot := kind * 3840 + plimsoll_orders.bucket(spent_us) + 1;
            if counts[slot] = 0 then
                touched := touched || slot;
            end if;
            counts[slot] := counts[slot] + 1;
            spent_us := greatest(last_us - worked_us, 0);
            slot := 5 * 3840 + plimsoll_orders.bucket(spent_us) + 1;
            if counts[slot] = 0 then
                touched := touched || slot;
            end if;
            counts[slot] := counts[slot] + 1;
        end if;
        at_us := last_us;
        due_us := at_us;
        if me.think_factor > 0 then
            slot := width_bucket(random(), me.mix_ends);
            due_us := at_us + plimsoll_orders.pause_us(me, kind, slot);
            kind := slot;
        else
            kind := width_bucket(random(), me.mix_ends);
        end if;
    end loop;
    answer := jsonb_build_object(
        'began', first_us,
        'ended', last_us,
        'late', late_us,
        'done', false,
        'state', jsonb_build_object(
            'kind', kind, 'due_us', due_us, 'transactions', transactions, 'order_lines', lines_entered
        ),
        'ops', plimsoll_orders.counted(counts, touched, rolled_back)
    );
    perform plimsoll_orders.hand_in();
end
$$;

-- The array of counts as the answer has them: by name the number, no count of blocks, what was rolled back, and the buckets.
-- `touched` names the places that are not 0, few of many.
create function plimsoll_orders.counted(counts bigint[], touched int[], rolled_back bigint)
returns jsonb language sql immutable as $$
    select coalesce(jsonb_object_agg(name, jsonb_build_array(operations, 0, failed, buckets)), '{}')
    from (
        select
            (array['new_order', 'payment', 'order_status', 'delivery', 'stock_level', 'commit'])[kind + 1] as name,
            coalesce(sum(counts[place]), 0) as operations,
            case when kind = 0 then rolled_back else 0 end as failed,
            coalesce(
                jsonb_agg(jsonb_build_array((place - 1) % 3840, counts[place]) order by place)
                filter (where place is not null),
                '[]'
            ) as buckets
        from generate_series(0, 5) kind
        left join unnest(touched) place on (place - 1) / 3840 = kind
        group by kind
    ) kinds
    where operations > 0 or failed > 0
$$;

-- One transaction for a client that commits each of them by a call of its own and so knows of each whether it is there. The call
-- itself commits when it ends. Answers with kind, beginning by the server's clock and order lines (null: rolled back).
create procedure plimsoll_orders.work_once(terminal jsonb, inout answer text) language plpgsql as $$
declare
    me plimsoll_orders.terminal := jsonb_populate_record(null::plimsoll_orders.terminal, terminal);
    kind int := width_bucket(random(), me.mix_ends);
    began_us bigint := plimsoll_orders.now_us();
    entered int;
begin
    entered := plimsoll_orders.transact(me, kind);
    if entered is null then
        rollback;
    end if;
    answer := jsonb_build_array(kind, began_us, entered);
end
$$;
