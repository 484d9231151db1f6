-- How many items of the last 20 orders of the session's own district run short (clause 2.8). Reads only.
create function plimsoll_orders.stock_level(me plimsoll_orders.terminal) returns int language plpgsql as $$
declare
    threshold int := plimsoll_orders.uniform(10, 20);
    next_order int;
    short int;
begin
    select d_next_o_id into strict next_order
    from plimsoll_orders.district
    where d_w_id = me.warehouse and d_id = me.district;
    select count(distinct s_i_id) into short
    from plimsoll_orders.order_line, plimsoll_orders.stock
    where ol_w_id = me.warehouse and ol_d_id = me.district and ol_o_id >= next_order - 20 and ol_o_id < next_order
        and s_w_id = me.warehouse and s_i_id = ol_i_id and s_quantity < threshold;
    return short;
end
$$;
