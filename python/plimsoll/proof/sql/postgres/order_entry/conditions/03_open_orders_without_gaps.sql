-- The open orders of a district have consecutive numbers (3.3.2.3).
with broken as (
    select
        no_w_id,
        no_d_id,
        format(
            'w_id=%s d_id=%s: %s open orders from %s to %s',
            no_w_id, no_d_id, count(*), min(no_o_id), max(no_o_id)
        ) as example
    from plimsoll_orders.new_order
    group by no_w_id, no_d_id
    having max(no_o_id) - min(no_o_id) + 1 <> count(*)
)
select count(*), (select example from broken order by no_w_id, no_d_id limit 1) from broken
