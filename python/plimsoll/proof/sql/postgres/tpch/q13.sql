-- Distribution of customers: how many have so many orders, leaving out those with special requests.
select
    counted.c_count,
    count(*) as custdist
from (
    select
        c.c_custkey,
        count(o.o_orderkey) as c_count
    from plimsoll_tpch.customer as c
    left join plimsoll_tpch.orders as o
        on o.o_custkey = c.c_custkey
        and o.o_comment not like '%special%requests%'
    group by c.c_custkey
) as counted
group by counted.c_count
order by custdist desc, counted.c_count desc
