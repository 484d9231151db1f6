-- Volume shipping: revenue between France and Germany, either way, in 1995 and 1996, by year.
select
    seller.n_name as supp_nation,
    buyer.n_name as cust_nation,
    extract(year from l.l_shipdate) as l_year,
    sum(l.l_extendedprice * (1 - l.l_discount)) as revenue
from plimsoll_tpch.lineitem as l
join plimsoll_tpch.supplier as s on s.s_suppkey = l.l_suppkey
join plimsoll_tpch.nation as seller on seller.n_nationkey = s.s_nationkey
join plimsoll_tpch.orders as o on o.o_orderkey = l.l_orderkey
join plimsoll_tpch.customer as c on c.c_custkey = o.o_custkey
join plimsoll_tpch.nation as buyer on buyer.n_nationkey = c.c_nationkey
where l.l_shipdate between date '1995-01-01' and date '1996-12-31'
    and (
        (seller.n_name = 'FRANCE' and buyer.n_name = 'GERMANY')
        or (seller.n_name = 'GERMANY' and buyer.n_name = 'FRANCE')
    )
group by supp_nation, cust_nation, l_year
order by supp_nation, cust_nation, l_year
