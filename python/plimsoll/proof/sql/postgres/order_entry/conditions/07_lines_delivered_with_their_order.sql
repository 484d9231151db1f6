-- A line has no delivery date exactly as long as its order has no carrier (3.3.2.7).
with broken as (
    select
        ol_w_id,
        ol_d_id,
        ol_o_id,
        ol_number,
        format(
            'w_id=%s d_id=%s o_id=%s number=%s: delivered %s, the carrier of its order is %s',
            ol_w_id, ol_d_id, ol_o_id, ol_number,
            coalesce(ol_delivery_d::text, 'never'), coalesce(o_carrier_id::text, 'none')
        ) as example
    from plimsoll_orders.order_line
    left join plimsoll_orders.orders on o_w_id = ol_w_id and o_d_id = ol_d_id and o_id = ol_o_id
    where (ol_delivery_d is null) <> (o_carrier_id is null)
)
select count(*), (select example from broken order by ol_w_id, ol_d_id, ol_o_id, ol_number limit 1) from broken
