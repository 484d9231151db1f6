-- Order priority: orders of the third quarter of 1993 of which something came late, by priority.
select
    o.o_orderpriority,
    count(*) as order_count
from plimsoll_tpch.orders as o
where o.o_orderdate >= date '1993-07-01'
    and o.o_orderdate < date '1993-07-01' + interval '3' month
    and exists (
        select 1
        from plimsoll_tpch.lineitem as l
        where l.l_orderkey = o.o_orderkey
            and l.l_commitdate < l.l_receiptdate
    )
group by o.o_orderpriority
order by o.o_orderpriority
