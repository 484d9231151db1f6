-- A customer's balance and payments of the year are together what was delivered (3.3.2.12).
with broken as (
    select
        c_w_id,
        c_d_id,
        c_id,
        format(
            'w_id=%s d_id=%s c_id=%s: balance %s and payments %s, deliveries %s',
            c_w_id, c_d_id, c_id, c_balance, c_ytd_payment, coalesce(delivered, 0)
        ) as example
    from plimsoll_orders.customer
    left join (
        select o_w_id, o_d_id, o_c_id, sum(ol_amount) as delivered
        from plimsoll_orders.orders
        join plimsoll_orders.order_line on ol_w_id = o_w_id and ol_d_id = o_d_id and ol_o_id = o_id
        where ol_delivery_d is not null
        group by o_w_id, o_d_id, o_c_id
    ) deliveries on o_w_id = c_w_id and o_d_id = c_d_id and o_c_id = c_id
    where c_balance + c_ytd_payment <> coalesce(delivered, 0)
)
select count(*), (select example from broken order by c_w_id, c_d_id, c_id limit 1) from broken
