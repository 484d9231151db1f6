-- Small orders: yearly revenue lost if orders below a fifth of a part's average quantity were no longer taken.
select sum(l.l_extendedprice) / 7.0 as avg_yearly
from plimsoll_tpch.part as p
join plimsoll_tpch.lineitem as l on l.l_partkey = p.p_partkey
where p.p_brand = 'Brand#23'
    and p.p_container = 'MED BOX'
    and l.l_quantity < (
        select 0.2 * avg(same.l_quantity)
        from plimsoll_tpch.lineitem as same
        where same.l_partkey = p.p_partkey
    )
