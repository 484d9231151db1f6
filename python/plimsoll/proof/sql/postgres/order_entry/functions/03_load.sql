-- The load, as one statement for each table: nothing but the call travels between client and server.
-- Cardinalities and values are those of the specification's clause 4.3.3.

create procedure plimsoll_orders.load_items() language plpgsql as $$
declare
    seed bigint := plimsoll_orders.setting('seed');
begin
    insert into plimsoll_orders.item
    select
        i,
        plimsoll_orders.made(seed, 1, i, 1, 10000),
        plimsoll_orders.letters(seed, 2, i, 14, 24),
        plimsoll_orders.made(seed, 3, i, 100, 10000) / 100.0,
        plimsoll_orders.brand(seed, 4, i)
    from generate_series(1, plimsoll_orders.setting('items')) i;
end
$$;

create procedure plimsoll_orders.load_places() language plpgsql as $$
declare
    seed bigint := plimsoll_orders.setting('seed');
    warehouses int := plimsoll_orders.setting('warehouses');
    customers int := plimsoll_orders.setting('customers_per_district');
begin
    insert into plimsoll_orders.warehouse
    select
        w,
        plimsoll_orders.letters(seed, 6, w, 6, 10),
        plimsoll_orders.letters(seed, 7, w, 10, 20),
        plimsoll_orders.letters(seed, 8, w, 10, 20),
        plimsoll_orders.letters(seed, 9, w, 10, 20),
        plimsoll_orders.letters(seed, 10, w, 2, 2),
        plimsoll_orders.zip(seed, 11, w),
        plimsoll_orders.made(seed, 12, w, 0, 2000) / 10000.0,
        customers * 100.0
    from generate_series(1, warehouses) w;
    insert into plimsoll_orders.district
    select
        w,
        d,
        plimsoll_orders.letters(seed, 13, w * 16::bigint + d, 6, 10),
        plimsoll_orders.letters(seed, 14, w * 16::bigint + d, 10, 20),
        plimsoll_orders.letters(seed, 15, w * 16::bigint + d, 10, 20),
        plimsoll_orders.letters(seed, 16, w * 16::bigint + d, 10, 20),
        plimsoll_orders.letters(seed, 17, w * 16::bigint + d, 2, 2),
        plimsoll_orders.zip(seed, 18, w * 16::bigint + d),
        plimsoll_orders.made(seed, 19, w * 16::bigint + d, 0, 2000) / 10000.0,
        customers * 10.0,
        customers + 1
    from generate_series(1, warehouses) w, generate_series(1, 10) d;
end
$$;

create procedure plimsoll_orders.load_stock(w int) language plpgsql as $$
declare
    seed bigint := plimsoll_orders.setting('seed');
begin
    insert into plimsoll_orders.stock
    select
        w,
        i,
        plimsoll_orders.made(seed, 20, k, 10, 100),
        plimsoll_orders.letters(seed, 21, k, 24, 24),
        plimsoll_orders.letters(seed, 22, k, 24, 24),
        plimsoll_orders.letters(seed, 23, k, 24, 24),
        plimsoll_orders.letters(seed, 24, k, 24, 24),
        plimsoll_orders.letters(seed, 25, k, 24, 24),
        plimsoll_orders.letters(seed, 26, k, 24, 24),
        plimsoll_orders.letters(seed, 27, k, 24, 24),
        plimsoll_orders.letters(seed, 28, k, 24, 24),
        plimsoll_orders.letters(seed, 29, k, 24, 24),
        plimsoll_orders.letters(seed, 30, k, 24, 24),
        0,
        0,
        0,
        plimsoll_orders.brand(seed, 31, k)
    from (
        select i, w * 16777216::bigint + i as k from generate_series(1, plimsoll_orders.setting('items')) i
    ) keyed;
end
$$;

create procedure plimsoll_orders.load_customers(w int) language plpgsql as $$
declare
    seed bigint := plimsoll_orders.setting('seed');
    customers int := plimsoll_orders.setting('customers_per_district');
    names int := plimsoll_orders.setting('last_names');
    c_last int := plimsoll_orders.setting('c_last_load');
begin
    insert into plimsoll_orders.customer
    select
        w,
        d,
        c,
        plimsoll_orders.letters(seed, 33, k, 8, 16),
        'OE',
        plimsoll_orders.last_name(
            case
                when c <= names then c - 1
                else (
                    (plimsoll_orders.made(seed, 34, k, 0, 255) | plimsoll_orders.made(seed, 35, k, 0, names - 1)) + c_last
                ) % names
            end::int
        ),
        plimsoll_orders.letters(seed, 36, k, 10, 20),
        plimsoll_orders.letters(seed, 37, k, 10, 20),
        plimsoll_orders.letters(seed, 38, k, 10, 20),
        plimsoll_orders.letters(seed, 39, k, 2, 2),
        plimsoll_orders.zip(seed, 40, k),
        lpad((plimsoll_orders.hashed(seed, 41, k) % 10000000000000000)::text, 16, '0'),
        plimsoll_orders.loaded_on(),
        case when plimsoll_orders.hashed(seed, 42, k) % 10 = 0 then 'BC' else 'GC' end,
        50000.00,
        plimsoll_orders.made(seed, 43, k, 0, 5000) / 10000.0,
        -10.00,
        10.00,
        1,
        0,
        left(
            plimsoll_orders.letters(seed, 44, k, 128, 128) || plimsoll_orders.letters(seed, 45, k, 128, 128)
            || plimsoll_orders.letters(seed, 46, k, 128, 128) || plimsoll_orders.letters(seed, 47, k, 128, 128),
            plimsoll_orders.made(seed, 48, k, 300, 500)::int
        )
    from (
        select d, c, (w * 16::bigint + d) * 1048576 + c as k
        from generate_series(1, 10) d, generate_series(1, customers) c
    ) keyed;
    insert into plimsoll_orders.history
    select
        w,
        d,
        c,
        w,
        d,
        plimsoll_orders.loaded_on(),
        10.00,
        plimsoll_orders.letters(seed, 49, (w * 16::bigint + d) * 1048576 + c, 12, 24)
    from generate_series(1, 10) d, generate_series(1, customers) c;
end
$$;

-- Each customer has one order; who comes when is shuffled by district. The lines do not read the orders, which have no index
-- yet: how many lines an order has follows from its key.
create procedure plimsoll_orders.load_orders(w int) language plpgsql as $$
declare
    seed bigint := plimsoll_orders.setting('seed');
    customers int := plimsoll_orders.setting('customers_per_district');
    delivered int := customers - plimsoll_orders.open_orders(customers);
    items int := plimsoll_orders.setting('items');
begin
    insert into plimsoll_orders.orders
    select
        w,
        d,
        o,
        c,
        plimsoll_orders.loaded_on(),
        case when o <= delivered then plimsoll_orders.made(seed, 50, (w * 16::bigint + d) * 1048576 + o, 1, 10) end,
        plimsoll_orders.made(seed, 51, (w * 16::bigint + d) * 1048576 + o, 5, 15),
        1
    from (
        select
            d,
            c,
            row_number() over (
                partition by d order by plimsoll_orders.hashed(seed, 52, (w * 16::bigint + d) * 1048576 + c), c
            )::int as o
        from generate_series(1, 10) d, generate_series(1, customers) c
    ) shuffled;
    insert into plimsoll_orders.new_order
    select w, d, o
    from generate_series(1, 10) d, generate_series(delivered + 1, customers) o;
    insert into plimsoll_orders.order_line
    select
        w,
        d,
        o,
        n,
        plimsoll_orders.made(seed, 53, k * 16 + n, 1, items),
        w,
        case when o <= delivered then plimsoll_orders.loaded_on() end,
        5,
        case when o <= delivered then 0.00 else plimsoll_orders.made(seed, 54, k * 16 + n, 1, 999999) / 100.0 end,
        plimsoll_orders.letters(seed, 55, k * 16 + n, 24, 24)
    from (
        select d, o, (w * 16::bigint + d) * 1048576 + o as k
        from generate_series(1, 10) d, generate_series(1, customers) o
    ) keyed, lateral generate_series(1, plimsoll_orders.made(seed, 51, k, 5, 15)) n;
end
$$;
