-- A warehouse took in as much this year as was paid there (3.3.2.8).
with broken as (
    select w_id, format('w_id=%s: it took in %s, the payments are %s', w_id, w_ytd, coalesce(paid, 0)) as example
    from plimsoll_orders.warehouse
    left join (
        select h_w_id, sum(h_amount) as paid from plimsoll_orders.history group by h_w_id
    ) payments on h_w_id = w_id
    where paid is distinct from w_ytd
)
select count(*), (select example from broken order by w_id limit 1) from broken
