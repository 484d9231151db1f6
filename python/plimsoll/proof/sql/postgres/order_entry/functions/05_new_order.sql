-- A customer orders 5 to 15 items (clause 2.4). Gives the number of order lines; 0 when an item does not exist, as is wanted of
-- one order in a hundred: then the caller rolls back.
--
-- Locks: the district, then stock in the order of its key. The item that does not exist is asked for last, when all the work of
-- the others is done.
create function plimsoll_orders.new_order(me plimsoll_orders.terminal) returns int language plpgsql as $$
declare
    at_district int := plimsoll_orders.uniform(1, 10);
    customer_id int := plimsoll_orders.nurand(1023, 1, me.customers, me.c_customer);
    line_count int := plimsoll_orders.uniform(5, 15);
    is_mistaken boolean := random() < 0.01;
    numbers int[];
    items int[];
    suppliers int[];
    quantities int[];
    is_local boolean;
    discount numeric;
    warehouse_tax numeric;
    district_tax numeric;
    order_id int;
    price numeric;
    dist_info text;
    total numeric := 0;
begin
    select array_agg(n), array_agg(item_id), array_agg(supplier), array_agg(quantity), bool_and(supplier = me.warehouse)
    into numbers, items, suppliers, quantities, is_local
    from (
        select
            n,
            case
                when is_mistaken and n = line_count then me.items + 1
                else plimsoll_orders.nurand(8191, 1, me.items, me.c_item)
            end as item_id,
            case
                when me.warehouses > 1 and random() < 0.01 then plimsoll_orders.elsewhere(me)
                else me.warehouse
            end as supplier,
            plimsoll_orders.uniform(1, 10) as quantity
        from generate_series(1, line_count) n
        order by is_mistaken and n = line_count, supplier, item_id
    ) line;

    select c_discount, w_tax into strict discount, warehouse_tax
    from plimsoll_orders.warehouse, plimsoll_orders.customer
    where w_id = me.warehouse and c_w_id = me.warehouse and c_d_id = at_district and c_id = customer_id;

    update plimsoll_orders.district set d_next_o_id = d_next_o_id + 1
    where d_w_id = me.warehouse and d_id = at_district
    returning d_next_o_id - 1, d_tax into strict order_id, district_tax;
    insert into plimsoll_orders.orders
    values (me.warehouse, at_district, order_id, customer_id, clock_timestamp(), null, line_count, is_local::int);
    insert into plimsoll_orders.new_order values (me.warehouse, at_district, order_id);

    for i in 1 .. line_count loop
        select i_price into price from plimsoll_orders.item where i_id = items[i];
        if not found then
            return 0;
        end if;
        update plimsoll_orders.stock set
            s_quantity = s_quantity - quantities[i] + case when s_quantity >= quantities[i] + 10 then 0 else 91 end,
            s_ytd = s_ytd + quantities[i],
            s_order_cnt = s_order_cnt + 1,
            s_remote_cnt = s_remote_cnt + (suppliers[i] <> me.warehouse)::int
        where s_w_id = suppliers[i] and s_i_id = items[i]
        returning case at_district
            when 1 then s_dist_01
            when 2 then s_dist_02
            when 3 then s_dist_03
            when 4 then s_dist_04
            when 5 then s_dist_05
            when 6 then s_dist_06
            when 7 then s_dist_07
            when 8 then s_dist_08
            when 9 then s_dist_09
            else s_dist_10
        end
        into strict dist_info;
        insert into plimsoll_orders.order_line
        values (
            me.warehouse, at_district, order_id, numbers[i], items[i], suppliers[i], null,
            quantities[i], quantities[i] * price, dist_info
        );
        total := total + quantities[i] * price;
    end loop;
    -- What the customer is told at the end.
    total := total * (1 - discount) * (1 + warehouse_tax + district_tax);
    return line_count;
end
$$;
