-- Profit by product type: what green parts earned, by the supplier's nation and year.
select
    n.n_name as nation,
    extract(year from o.o_orderdate) as o_year,
    sum(l.l_extendedprice * (1 - l.l_discount) - ps.ps_supplycost * l.l_quantity) as sum_profit
from plimsoll_tpch.part as p
join plimsoll_tpch.lineitem as l on l.l_partkey = p.p_partkey
join plimsoll_tpch.partsupp as ps on ps.ps_partkey = l.l_partkey and ps.ps_suppkey = l.l_suppkey
join plimsoll_tpch.supplier as s on s.s_suppkey = l.l_suppkey
join plimsoll_tpch.nation as n on n.n_nationkey = s.s_nationkey
join plimsoll_tpch.orders as o on o.o_orderkey = l.l_orderkey
where p.p_name like '%green%'
group by nation, o_year
order by nation, o_year desc
