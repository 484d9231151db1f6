-- An order has as many lines as it says, and each line an order (3.3.2.6).
with broken as (
    select
        w_id,
        d_id,
        order_id,
        format(
            'w_id=%s d_id=%s o_id=%s: the order has %s lines, %s are there',
            w_id, d_id, order_id, coalesce(said::text, 'no row and no'), coalesce(there, 0)
        ) as example
    from (
        select o_w_id as w_id, o_d_id as d_id, o_id as order_id, o_ol_cnt as said from plimsoll_orders.orders
    ) entered
    full join (
        select ol_w_id as w_id, ol_d_id as d_id, ol_o_id as order_id, count(*) as there
        from plimsoll_orders.order_line
        group by ol_w_id, ol_d_id, ol_o_id
    ) lines using (w_id, d_id, order_id)
    where said is distinct from there
)
select count(*), (select example from broken order by w_id, d_id, order_id limit 1) from broken
