-- An order has no carrier exactly as long as it is among the open ones (3.3.2.5).
with broken as (
    select
        w_id,
        d_id,
        order_id,
        format('w_id=%s d_id=%s o_id=%s: ', w_id, d_id, order_id) || case
            when o_id is null then 'it is open, and there is no such order'
            when no_o_id is null then 'it has no carrier, and is not among the open orders'
            else 'it has a carrier, and is among the open orders'
        end as example
    from (
        select
            coalesce(o_w_id, no_w_id) as w_id,
            coalesce(o_d_id, no_d_id) as d_id,
            coalesce(o_id, no_o_id) as order_id,
            o_id,
            no_o_id,
            o_carrier_id
        from plimsoll_orders.orders
        full join plimsoll_orders.new_order on no_w_id = o_w_id and no_d_id = o_d_id and no_o_id = o_id
    ) paired
    where o_id is null or (o_carrier_id is null) <> (no_o_id is not null)
)
select count(*), (select example from broken order by w_id, d_id, order_id limit 1) from broken
