-- Shipping modes: lines by mail and ship that came late in 1994 although sent in time, urgent orders and others.
select
    l.l_shipmode,
    count(*) filter (where o.o_orderpriority in ('1-URGENT', '2-HIGH')) as high_line_count,
    count(*) filter (where o.o_orderpriority not in ('1-URGENT', '2-HIGH')) as low_line_count
from plimsoll_tpch.lineitem as l
join plimsoll_tpch.orders as o on o.o_orderkey = l.l_orderkey
where l.l_shipmode in ('MAIL', 'SHIP')
    and l.l_commitdate < l.l_receiptdate
    and l.l_shipdate < l.l_commitdate
    and l.l_receiptdate >= date '1994-01-01'
    and l.l_receiptdate < date '1994-01-01' + interval '1' year
group by l.l_shipmode
order by l.l_shipmode
