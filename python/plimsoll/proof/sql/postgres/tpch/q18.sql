-- Large orders: customers who ordered more than 300 pieces at once; the 100 dearest orders.
select
    c.c_name,
    c.c_custkey,
    o.o_orderkey,
    o.o_orderdate,
    o.o_totalprice,
    sum(l.l_quantity) as sum_quantity
from plimsoll_tpch.customer as c
join plimsoll_tpch.orders as o on o.o_custkey = c.c_custkey
join plimsoll_tpch.lineitem as l on l.l_orderkey = o.o_orderkey
where o.o_orderkey in (
    select large.l_orderkey
    from plimsoll_tpch.lineitem as large
    group by large.l_orderkey
    having sum(large.l_quantity) > 300
)
group by c.c_name, c.c_custkey, o.o_orderkey, o.o_orderdate, o.o_totalprice
order by o.o_totalprice desc, o.o_orderdate
limit 100
