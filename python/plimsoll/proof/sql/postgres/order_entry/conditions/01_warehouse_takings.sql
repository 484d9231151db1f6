-- A warehouse took in as much this year as its districts did together (3.3.2.1).
with broken as (
    select w_id, format('w_id=%s: the warehouse took in %s, its districts %s', w_id, w_ytd, taken) as example
    from plimsoll_orders.warehouse
    left join (
        select d_w_id, sum(d_ytd) as taken from plimsoll_orders.district group by d_w_id
    ) districts on d_w_id = w_id
    where taken is distinct from w_ytd
)
select count(*), (select example from broken order by w_id limit 1) from broken
