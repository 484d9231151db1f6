-- A district took in as much this year as was paid there (3.3.2.9).
with broken as (
    select
        d_w_id,
        d_id,
        format('w_id=%s d_id=%s: it took in %s, the payments are %s', d_w_id, d_id, d_ytd, coalesce(paid, 0)) as example
    from plimsoll_orders.district
    left join (
        select h_w_id, h_d_id, sum(h_amount) as paid from plimsoll_orders.history group by h_w_id, h_d_id
    ) payments on h_w_id = d_w_id and h_d_id = d_id
    where paid is distinct from d_ytd
)
select count(*), (select example from broken order by d_w_id, d_id limit 1) from broken
