-- Promotion candidates: Canadian suppliers who hold more of a forest part than half of what was shipped of it in 1994.
select
    s.s_name,
    s.s_address
from plimsoll_tpch.supplier as s
join plimsoll_tpch.nation as n on n.n_nationkey = s.s_nationkey
where n.n_name = 'CANADA'
    and s.s_suppkey in (
        select ps.ps_suppkey
        from plimsoll_tpch.partsupp as ps
        where ps.ps_partkey in (
                select p.p_partkey
                from plimsoll_tpch.part as p
                where p.p_name like 'forest%'
            )
            and ps.ps_availqty > (
                select 0.5 * sum(l.l_quantity)
                from plimsoll_tpch.lineitem as l
                where l.l_partkey = ps.ps_partkey
                    and l.l_suppkey = ps.ps_suppkey
                    and l.l_shipdate >= date '1994-01-01'
                    and l.l_shipdate < date '1994-01-01' + interval '1' year
            )
    )
order by s.s_name
