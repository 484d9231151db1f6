-- What a session is: where it stands, what there is, and how often it does what.
create type plimsoll_orders.terminal as (
    session_id int,
    warehouse int,
    district int,
    warehouses int,
    items int,
    customers int,
    last_names int,
    c_last int,
    c_customer int,
    c_item int,
    -- Where in 0 to 1 each kind of transaction but the last ends: new order, payment, order status, delivery, stock level.
    mix_ends float8[],
    -- Times of keying and thinking, as a multiple of the specification's; 0 is none.
    think_factor float8,
    ledger boolean
);

-- A warehouse that is not this one.
create function plimsoll_orders.elsewhere(me plimsoll_orders.terminal) returns int language sql volatile as $$
    select 1 + ((me).warehouse - 1 + plimsoll_orders.uniform(1, (me).warehouses - 1)) % (me).warehouses
$$;

-- A customer's id by the last name: of all who bear it, the one in the middle by first name (clause 2.5.2.2).
create function plimsoll_orders.customer_named(w int, d int, last text) returns int language plpgsql as $$
declare
    found_id int;
begin
    select (array_agg(c_id order by c_first))[(count(*) + 1) / 2] into found_id
    from plimsoll_orders.customer
    where c_w_id = w and c_d_id = d and c_last = last;
    if found_id is null then
        raise exception 'no customer is named % in district % of warehouse %', last, d, w;
    end if;
    return found_id;
end
$$;

-- Six in ten ask for a customer by last name, the others by number.
create function plimsoll_orders.some_customer(me plimsoll_orders.terminal, w int, d int) returns int language plpgsql as $$
begin
    if random() < 0.6 then
        return plimsoll_orders.customer_named(
            w, d, plimsoll_orders.last_name(plimsoll_orders.nurand(255, 0, me.last_names - 1, me.c_last))
        );
    end if;
    return plimsoll_orders.nurand(1023, 1, me.customers, me.c_customer);
end
$$;
