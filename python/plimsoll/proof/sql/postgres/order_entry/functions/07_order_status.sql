-- A customer asks for the last order (clause 2.6). Reads only.
create function plimsoll_orders.order_status(me plimsoll_orders.terminal) returns void language plpgsql as $$
declare
    at_district int := plimsoll_orders.uniform(1, 10);
    customer_id int := plimsoll_orders.some_customer(me, me.warehouse, at_district);
    order_id int;
begin
    perform c_balance, c_first, c_middle, c_last
    from plimsoll_orders.customer
    where c_w_id = me.warehouse and c_d_id = at_district and c_id = customer_id;
    select o_id into order_id
    from plimsoll_orders.orders
    where o_w_id = me.warehouse and o_d_id = at_district and o_c_id = customer_id
    order by o_id desc
    limit 1;
    perform ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
    from plimsoll_orders.order_line
    where ol_w_id = me.warehouse and ol_d_id = at_district and ol_o_id = order_id;
end
$$;
