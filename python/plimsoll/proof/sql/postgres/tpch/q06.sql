-- Forecast of revenue: what 1994 would have brought without discounts of 5 to 7 percent on fewer than 24 pieces.
select sum(l.l_extendedprice * l.l_discount) as revenue
from plimsoll_tpch.lineitem as l
where l.l_shipdate >= date '1994-01-01'
    and l.l_shipdate < date '1994-01-01' + interval '1' year
    and l.l_discount between 0.06 - 0.01 and 0.06 + 0.01
    and l.l_quantity < 24
