-- Important stock: parts that make up more than a given share of the value that German suppliers hold.
-- The share is 0.0001 at scale 1 and falls as the scale grows; it is put in place of :fraction.
select
    ps.ps_partkey,
    sum(ps.ps_supplycost * ps.ps_availqty) as value
from plimsoll_tpch.partsupp as ps
join plimsoll_tpch.supplier as s on s.s_suppkey = ps.ps_suppkey
join plimsoll_tpch.nation as n on n.n_nationkey = s.s_nationkey
where n.n_name = 'GERMANY'
group by ps.ps_partkey
having sum(ps.ps_supplycost * ps.ps_availqty) > (
    select sum(held.ps_supplycost * held.ps_availqty) * :fraction
    from plimsoll_tpch.partsupp as held
    join plimsoll_tpch.supplier as holder on holder.s_suppkey = held.ps_suppkey
    join plimsoll_tpch.nation as home on home.n_nationkey = holder.s_nationkey
    where home.n_name = 'GERMANY'
)
order by value desc
