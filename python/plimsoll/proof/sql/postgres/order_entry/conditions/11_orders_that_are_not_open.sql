-- A district's orders less the open ones are those delivered at the load and since then, by its customers' count (3.3.2.11).
with broken as (
    select
        d_w_id,
        d_id,
        format(
            'w_id=%s d_id=%s: %s orders less %s open ones, where %s were delivered',
            d_w_id, d_id, coalesce(entered, 0), coalesce(waiting, 0), delivered
        ) as example
    from plimsoll_orders.district
    left join (
        select o_w_id, o_d_id, count(*) as entered from plimsoll_orders.orders group by o_w_id, o_d_id
    ) all_orders on o_w_id = d_w_id and o_d_id = d_id
    left join (
        select no_w_id, no_d_id, count(*) as waiting from plimsoll_orders.new_order group by no_w_id, no_d_id
    ) open_orders on no_w_id = d_w_id and no_d_id = d_id
    left join (
        select
            c_w_id,
            c_d_id,
            sum(c_delivery_cnt)
            + plimsoll_orders.setting('customers_per_district')
            - plimsoll_orders.open_orders(plimsoll_orders.setting('customers_per_district')::int) as delivered
        from plimsoll_orders.customer
        group by c_w_id, c_d_id
    ) deliveries on c_w_id = d_w_id and c_d_id = d_id
    where coalesce(entered, 0) - coalesce(waiting, 0) is distinct from delivered
)
select count(*), (select example from broken order by d_w_id, d_id limit 1) from broken
