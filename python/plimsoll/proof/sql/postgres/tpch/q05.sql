-- Local supplier volume: revenue of 1994 where customer and supplier are of the same Asian nation, by nation.
select
    n.n_name,
    sum(l.l_extendedprice * (1 - l.l_discount)) as revenue
from plimsoll_tpch.region as r
join plimsoll_tpch.nation as n on n.n_regionkey = r.r_regionkey
join plimsoll_tpch.customer as c on c.c_nationkey = n.n_nationkey
join plimsoll_tpch.orders as o on o.o_custkey = c.c_custkey
join plimsoll_tpch.lineitem as l on l.l_orderkey = o.o_orderkey
join plimsoll_tpch.supplier as s on s.s_suppkey = l.l_suppkey and s.s_nationkey = c.c_nationkey
where r.r_name = 'ASIA'
    and o.o_orderdate >= date '1994-01-01'
    and o.o_orderdate < date '1994-01-01' + interval '1' year
group by n.n_name
order by revenue desc
