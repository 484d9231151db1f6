-- Market share: Brazil's part in America's revenue from anodized economy steel, 1995 and 1996.
select
    extract(year from o.o_orderdate) as o_year,
    sum(
        case when seller.n_name = 'BRAZIL' then l.l_extendedprice * (1 - l.l_discount) else 0 end
    ) / sum(l.l_extendedprice * (1 - l.l_discount)) as mkt_share
from plimsoll_tpch.part as p
join plimsoll_tpch.lineitem as l on l.l_partkey = p.p_partkey
join plimsoll_tpch.supplier as s on s.s_suppkey = l.l_suppkey
join plimsoll_tpch.nation as seller on seller.n_nationkey = s.s_nationkey
join plimsoll_tpch.orders as o on o.o_orderkey = l.l_orderkey
join plimsoll_tpch.customer as c on c.c_custkey = o.o_custkey
join plimsoll_tpch.nation as buyer on buyer.n_nationkey = c.c_nationkey
join plimsoll_tpch.region as r on r.r_regionkey = buyer.n_regionkey
where r.r_name = 'AMERICA'
    and o.o_orderdate between date '1995-01-01' and date '1996-12-31'
    and p.p_type = 'ECONOMY ANODIZED STEEL'
group by o_year
order by o_year
