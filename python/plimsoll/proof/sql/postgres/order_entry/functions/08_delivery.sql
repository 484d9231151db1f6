-- The oldest open order of each district of a warehouse is delivered (clause 2.7); the session waits for it, nothing is deferred.
-- Gives the number of orders delivered.
--
-- Two deliveries of one warehouse would look for the same oldest orders, so the second waits on a lock of the warehouse's own.
-- A customer that it changes may be locked by a payment, which then waits for nothing more.
create function plimsoll_orders.delivery(me plimsoll_orders.terminal) returns int language plpgsql as $$
declare
    carrier int := plimsoll_orders.uniform(1, 10);
    order_id int;
    customer_id int;
    amount numeric;
    delivered int := 0;
begin
    perform pg_advisory_xact_lock(1886151021, me.warehouse);
    for at_district in 1 .. 10 loop
        select no_o_id into order_id
        from plimsoll_orders.new_order
        where no_w_id = me.warehouse and no_d_id = at_district
        order by no_o_id
        limit 1;
        continue when not found;
        delete from plimsoll_orders.new_order
        where no_w_id = me.warehouse and no_d_id = at_district and no_o_id = order_id;
        update plimsoll_orders.orders set o_carrier_id = carrier
        where o_w_id = me.warehouse and o_d_id = at_district and o_id = order_id
        returning o_c_id into strict customer_id;
        with handed_over as (
            update plimsoll_orders.order_line set ol_delivery_d = clock_timestamp()
            where ol_w_id = me.warehouse and ol_d_id = at_district and ol_o_id = order_id
            returning ol_amount
        )
        select sum(ol_amount) into amount from handed_over;
        update plimsoll_orders.customer set c_balance = c_balance + amount, c_delivery_cnt = c_delivery_cnt + 1
        where c_w_id = me.warehouse and c_d_id = at_district and c_id = customer_id;
        delivered := delivered + 1;
    end loop;
    return delivered;
end
$$;
