-- Suppliers who kept orders waiting: Saudi suppliers who alone were late in an order of several; the 100 with the most.
select
    s.s_name,
    count(*) as numwait
from plimsoll_tpch.supplier as s
join plimsoll_tpch.nation as n on n.n_nationkey = s.s_nationkey
join plimsoll_tpch.lineitem as late on late.l_suppkey = s.s_suppkey
join plimsoll_tpch.orders as o on o.o_orderkey = late.l_orderkey
where n.n_name = 'SAUDI ARABIA'
    and o.o_orderstatus = 'F'
    and late.l_receiptdate > late.l_commitdate
    and exists (
        select 1
        from plimsoll_tpch.lineitem as other
        where other.l_orderkey = late.l_orderkey
            and other.l_suppkey <> late.l_suppkey
    )
    and not exists (
        select 1
        from plimsoll_tpch.lineitem as other
        where other.l_orderkey = late.l_orderkey
            and other.l_suppkey <> late.l_suppkey
            and other.l_receiptdate > other.l_commitdate
    )
group by s.s_name
order by numwait desc, s.s_name
limit 100
