-- Rows that were added since the run began: orders and order lines above the numbers noted then, by their keys, and payments by date.
select
    coalesce(sum((
        select count(*) from plimsoll_orders.orders where o_w_id = d_w_id and o_d_id = d_id and o_id >= d_next_o_id
    )), 0)::bigint as orders,
    coalesce(sum((
        select count(*) from plimsoll_orders.order_line where ol_w_id = d_w_id and ol_d_id = d_id and ol_o_id >= d_next_o_id
    )), 0)::bigint as order_lines,
    (
        select count(*)
        from plimsoll_orders.history
        where h_date >= (select min(started_at) from plimsoll_orders.run_start)
    ) as payments
from plimsoll_orders.run_start
