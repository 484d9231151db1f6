-- Top supplier: who brought the most revenue in the first quarter of 1996.
with revenue as (
    select
        l.l_suppkey as supplier_no,
        sum(l.l_extendedprice * (1 - l.l_discount)) as total_revenue
    from plimsoll_tpch.lineitem as l
    where l.l_shipdate >= date '1996-01-01'
        and l.l_shipdate < date '1996-01-01' + interval '3' month
    group by l.l_suppkey
)
select
    s.s_suppkey,
    s.s_name,
    s.s_address,
    s.s_phone,
    revenue.total_revenue
from plimsoll_tpch.supplier as s
join revenue on revenue.supplier_no = s.s_suppkey
where revenue.total_revenue = (select max(best.total_revenue) from revenue as best)
order by s.s_suppkey
