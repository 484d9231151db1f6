-- A district has as many order lines as its orders say they have (3.3.2.4).
with broken as (
    select
        w_id,
        d_id,
        format('w_id=%s d_id=%s: the orders have %s lines, %s are there', w_id, d_id, said, there) as example
    from (
        select o_w_id as w_id, o_d_id as d_id, sum(o_ol_cnt) as said
        from plimsoll_orders.orders
        group by o_w_id, o_d_id
    ) entered
    full join (
        select ol_w_id as w_id, ol_d_id as d_id, count(*) as there
        from plimsoll_orders.order_line
        group by ol_w_id, ol_d_id
    ) lines using (w_id, d_id)
    where said is distinct from there
)
select count(*), (select example from broken order by w_id, d_id limit 1) from broken
