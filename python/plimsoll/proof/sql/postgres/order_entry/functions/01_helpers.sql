-- What loading and transactions share. Functions of one SQL expression are folded into the statement that calls them.

-- A setting of the load, from the marker on the schema, where it is kept once.
create function plimsoll_orders.setting(name text) returns bigint language sql stable as $$
    select (substring(obj_description('plimsoll_orders'::regnamespace, 'pg_namespace') from '\{.*\}')::jsonb ->> name)::bigint
$$;

-- How many of a district's first orders are not delivered yet: three in ten (900 of 3,000).
create function plimsoll_orders.open_orders(customers int) returns int language sql immutable as $$
    select customers * 3 / 10
$$;

-- Microseconds since 1970 by the server's clock.
create function plimsoll_orders.now_us() returns bigint language sql volatile as $$
    select (extract(epoch from clock_timestamp()) * 1000000)::bigint
$$;

-- A whole number from `low` to `high`, both included.
create function plimsoll_orders.uniform(low int, high int) returns int language sql volatile as $$
    select low + floor(random() * (high - low + 1))::int
$$;

-- The specification's non-uniform distribution (clause 2.1.6): some keys far more often than others.
create function plimsoll_orders.nurand(a int, low int, high int, c int) returns int language sql volatile as $$
    select ((floor(random() * (a + 1))::int | (low + floor(random() * (high - low + 1))::int)) + c) % (high - low + 1) + low
$$;

-- The last name of that number: a syllable for each of its three digits (clause 4.3.2.3).
create function plimsoll_orders.last_name(number int) returns text language sql immutable as $$
    select (array['BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING'])[number / 100 + 1]
        || (array['BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING'])[number / 10 % 10 + 1]
        || (array['BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING'])[number % 10 + 1]
$$;
