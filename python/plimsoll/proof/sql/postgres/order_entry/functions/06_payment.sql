-- A customer pays (clause 2.5): 15 in 100 at a warehouse that is not theirs. Locks: warehouse, district, customer.
create function plimsoll_orders.payment(me plimsoll_orders.terminal) returns void language plpgsql as $$
declare
    at_district int := plimsoll_orders.uniform(1, 10);
    is_remote boolean := me.warehouses > 1 and random() < 0.15;
    home_w int := me.warehouse;
    home_d int := at_district;
    amount numeric := plimsoll_orders.uniform(100, 500000) / 100.0;
    customer_id int;
    warehouse_name text;
    district_name text;
begin
    if is_remote then
        home_w := plimsoll_orders.elsewhere(me);
        home_d := plimsoll_orders.uniform(1, 10);
    end if;
    customer_id := plimsoll_orders.some_customer(me, home_w, home_d);
    update plimsoll_orders.warehouse set w_ytd = w_ytd + amount
    where w_id = me.warehouse
    returning w_name into strict warehouse_name;
    update plimsoll_orders.district set d_ytd = d_ytd + amount
    where d_w_id = me.warehouse and d_id = at_district
    returning d_name into strict district_name;
    -- Of those with bad credit a log of payments is kept in the row itself.
    update plimsoll_orders.customer set
        c_balance = c_balance - amount,
        c_ytd_payment = c_ytd_payment + amount,
        c_payment_cnt = c_payment_cnt + 1,
        c_data = case
            when c_credit = 'BC'
            then left(concat_ws(' ', c_id, c_d_id, c_w_id, at_district, me.warehouse, amount, c_data), 500)
            else c_data
        end
    where c_w_id = home_w and c_d_id = home_d and c_id = customer_id;
    if not found then
        raise exception 'there is no customer % in district % of warehouse %', customer_id, home_d, home_w;
    end if;
    insert into plimsoll_orders.history
    values (
        home_w, home_d, customer_id, me.warehouse, at_district, clock_timestamp(), amount,
        warehouse_name || '    ' || district_name
    );
end
$$;
