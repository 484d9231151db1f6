-- Returned items: the 20 customers who sent back the most of what they ordered in the fourth quarter of 1993.
select
    c.c_custkey,
    c.c_name,
    sum(l.l_extendedprice * (1 - l.l_discount)) as revenue,
    c.c_acctbal,
    n.n_name,
    c.c_address,
    c.c_phone,
    c.c_comment
from plimsoll_tpch.customer as c
join plimsoll_tpch.orders as o on o.o_custkey = c.c_custkey
join plimsoll_tpch.lineitem as l on l.l_orderkey = o.o_orderkey
join plimsoll_tpch.nation as n on n.n_nationkey = c.c_nationkey
where o.o_orderdate >= date '1993-10-01'
    and o.o_orderdate < date '1993-10-01' + interval '3' month
    and l.l_returnflag = 'R'
group by c.c_custkey, c.c_name, c.c_acctbal, c.c_phone, n.n_name, c.c_address, c.c_comment
order by revenue desc
limit 20
