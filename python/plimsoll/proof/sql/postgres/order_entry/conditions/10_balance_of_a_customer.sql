-- A customer's balance is what was delivered less what was paid (3.3.2.10).
with broken as (
    select
        c_w_id,
        c_d_id,
        c_id,
        format(
            'w_id=%s d_id=%s c_id=%s: the balance is %s, deliveries %s, payments %s',
            c_w_id, c_d_id, c_id, c_balance, coalesce(delivered, 0), coalesce(paid, 0)
        ) as example
    from plimsoll_orders.customer
    left join (
        select o_w_id, o_d_id, o_c_id, sum(ol_amount) as delivered
        from plimsoll_orders.orders
        join plimsoll_orders.order_line on ol_w_id = o_w_id and ol_d_id = o_d_id and ol_o_id = o_id
        where ol_delivery_d is not null
        group by o_w_id, o_d_id, o_c_id
    ) deliveries on o_w_id = c_w_id and o_d_id = c_d_id and o_c_id = c_id
    left join (
        select h_c_w_id, h_c_d_id, h_c_id, sum(h_amount) as paid
        from plimsoll_orders.history
        group by h_c_w_id, h_c_d_id, h_c_id
    ) payments on h_c_w_id = c_w_id and h_c_d_id = c_d_id and h_c_id = c_id
    where c_balance <> coalesce(delivered, 0) - coalesce(paid, 0)
)
select count(*), (select example from broken order by c_w_id, c_d_id, c_id limit 1) from broken
