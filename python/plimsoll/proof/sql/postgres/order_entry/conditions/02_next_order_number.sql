-- A district's next order number follows its highest order, and its highest open order if it has any (3.3.2.2).
with broken as (
    select
        d_w_id,
        d_id,
        format(
            'w_id=%s d_id=%s: the next order is %s, the highest %s, the highest open one %s',
            d_w_id, d_id, d_next_o_id, coalesce(order_max::text, 'none'), coalesce(open_max::text, 'none')
        ) as example
    from plimsoll_orders.district
    left join (
        select o_w_id, o_d_id, max(o_id) as order_max from plimsoll_orders.orders group by o_w_id, o_d_id
    ) entered on o_w_id = d_w_id and o_d_id = d_id
    left join (
        select no_w_id, no_d_id, max(no_o_id) as open_max from plimsoll_orders.new_order group by no_w_id, no_d_id
    ) waiting on no_w_id = d_w_id and no_d_id = d_id
    where order_max is distinct from d_next_o_id - 1 or open_max <> d_next_o_id - 1
)
select count(*), (select example from broken order by d_w_id, d_id limit 1) from broken
