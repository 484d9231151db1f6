-- Shipping priority: the ten open orders of the building segment with the most revenue not yet shipped on 15 March 1995.
select
    l.l_orderkey,
    sum(l.l_extendedprice * (1 - l.l_discount)) as revenue,
    o.o_orderdate,
    o.o_shippriority
from plimsoll_tpch.customer as c
join plimsoll_tpch.orders as o on o.o_custkey = c.c_custkey
join plimsoll_tpch.lineitem as l on l.l_orderkey = o.o_orderkey
where c.c_mktsegment = 'BUILDING'
    and o.o_orderdate < date '1995-03-15'
    and l.l_shipdate > date '1995-03-15'
group by l.l_orderkey, o.o_orderdate, o.o_shippriority
order by revenue desc, o.o_orderdate
limit 10
