-- Values of the load that look random and depend on nothing but the seed, the column and the row: the same data at each load,
-- in whatever order and by however many sessions it is loaded. `stream` is a number for each column.

create function plimsoll_orders.hashed(seed bigint, stream int, row_key bigint) returns bigint language sql immutable as $$
    select hashint8extended(row_key, seed * 64 + stream) & 9223372036854775807
$$;

-- A whole number from `low` to `high`, both included.
create function plimsoll_orders.made(seed bigint, stream int, row_key bigint, low bigint, high bigint)
returns bigint language sql immutable as $$
    select low + plimsoll_orders.hashed(seed, stream, row_key) % (high - low + 1)
$$;

-- Letters and digits, `low` to `high` of them, at most 128.
create function plimsoll_orders.letters(seed bigint, stream int, row_key bigint, low int, high int)
returns text language sql immutable as $$
    select left(
        encode(sha512(int8send(plimsoll_orders.hashed(seed, stream, row_key))), 'hex'),
        (low + (plimsoll_orders.hashed(seed, stream, row_key) >> 7) % (high - low + 1))::int
    )
$$;

-- 26 to 50 letters, in one of ten of which the word ORIGINAL stands somewhere.
create function plimsoll_orders.brand(seed bigint, stream int, row_key bigint) returns text language sql immutable as $$
    select case
        when plimsoll_orders.hashed(seed, stream + 1, row_key) % 10 > 0
        then plimsoll_orders.letters(seed, stream, row_key, 26, 50)
        else overlay(
            plimsoll_orders.letters(seed, stream, row_key, 26, 50)
            placing 'ORIGINAL'
            from (1 + plimsoll_orders.hashed(seed, stream + 1, row_key) / 10 % 19)::int
        )
    end
$$;

-- Four digits of the place and five that are the same everywhere.
create function plimsoll_orders.zip(seed bigint, stream int, row_key bigint) returns text language sql immutable as $$
    select lpad((plimsoll_orders.hashed(seed, stream, row_key) % 10000)::text, 4, '0') || '11111'
$$;

-- When all that is loaded happened. It is the same for each load, and earlier than any run.
create function plimsoll_orders.loaded_on() returns timestamptz language sql immutable as $$
    select '2000-01-01 00:00:00+00'::timestamptz
$$;
