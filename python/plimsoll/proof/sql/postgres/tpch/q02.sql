-- Cheapest supplier: who in Europe offers each brass part of size 15 at the lowest price there; the 100 richest suppliers.
select
    s.s_acctbal,
    s.s_name,
    n.n_name,
    p.p_partkey,
    p.p_mfgr,
    s.s_address,
    s.s_phone,
    s.s_comment
from plimsoll_tpch.part as p
join plimsoll_tpch.partsupp as ps on ps.ps_partkey = p.p_partkey
join plimsoll_tpch.supplier as s on s.s_suppkey = ps.ps_suppkey
join plimsoll_tpch.nation as n on n.n_nationkey = s.s_nationkey
join plimsoll_tpch.region as r on r.r_regionkey = n.n_regionkey
where p.p_size = 15
    and p.p_type like '%BRASS'
    and r.r_name = 'EUROPE'
    and ps.ps_supplycost = (
        select min(offer.ps_supplycost)
        from plimsoll_tpch.partsupp as offer
        join plimsoll_tpch.supplier as rival on rival.s_suppkey = offer.ps_suppkey
        join plimsoll_tpch.nation as home on home.n_nationkey = rival.s_nationkey
        join plimsoll_tpch.region as around on around.r_regionkey = home.n_regionkey
        where offer.ps_partkey = p.p_partkey
            and around.r_name = 'EUROPE'
    )
order by s.s_acctbal desc, n.n_name, s.s_name, p.p_partkey
limit 100
