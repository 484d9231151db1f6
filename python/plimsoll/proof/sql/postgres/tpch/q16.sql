-- Parts and suppliers: how many suppliers without complaints offer parts of given sizes, by brand, type and size.
select
    p.p_brand,
    p.p_type,
    p.p_size,
    count(distinct ps.ps_suppkey) as supplier_cnt
from plimsoll_tpch.partsupp as ps
join plimsoll_tpch.part as p on p.p_partkey = ps.ps_partkey
where p.p_brand <> 'Brand#45'
    and p.p_type not like 'MEDIUM POLISHED%'
    and p.p_size in (49, 14, 23, 45, 19, 3, 36, 9)
    and not exists (
        select 1
        from plimsoll_tpch.supplier as s
        where s.s_suppkey = ps.ps_suppkey
            and s.s_comment like '%Customer%Complaints%'
    )
group by p.p_brand, p.p_type, p.p_size
order by supplier_cnt desc, p.p_brand, p.p_type, p.p_size
