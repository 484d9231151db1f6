-- Discounted revenue: three kinds of parts, by brand, container, size and quantity, sent by air and handed over in person.
select sum(l.l_extendedprice * (1 - l.l_discount)) as revenue
from plimsoll_tpch.lineitem as l
join plimsoll_tpch.part as p on p.p_partkey = l.l_partkey
where l.l_shipmode in ('AIR', 'AIR REG')
    and l.l_shipinstruct = 'DELIVER IN PERSON'
    and (
        (
            p.p_brand = 'Brand#12'
            and p.p_container in ('SM CASE', 'SM BOX', 'SM PACK', 'SM PKG')
            and p.p_size between 1 and 5
            and l.l_quantity between 1 and 1 + 10
        )
        or (
            p.p_brand = 'Brand#23'
            and p.p_container in ('MED BAG', 'MED BOX', 'MED PKG', 'MED PACK')
            and p.p_size between 1 and 10
            and l.l_quantity between 10 and 10 + 10
        )
        or (
            p.p_brand = 'Brand#34'
            and p.p_container in ('LG CASE', 'LG BOX', 'LG PACK', 'LG PKG')
            and p.p_size between 1 and 15
            and l.l_quantity between 20 and 20 + 10
        )
    )
