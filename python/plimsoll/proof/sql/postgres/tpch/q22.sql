-- Sales opportunity: customers with more than the average on account and no order at all, by the country code of their phone.
select
    substring(c.c_phone from 1 for 2) as cntrycode,
    count(*) as numcust,
    sum(c.c_acctbal) as totacctbal
from plimsoll_tpch.customer as c
where substring(c.c_phone from 1 for 2) in ('13', '31', '23', '29', '30', '18', '17')
    and c.c_acctbal > (
        select avg(rich.c_acctbal)
        from plimsoll_tpch.customer as rich
        where rich.c_acctbal > 0.00
            and substring(rich.c_phone from 1 for 2) in ('13', '31', '23', '29', '30', '18', '17')
    )
    and not exists (
        select 1
        from plimsoll_tpch.orders as o
        where o.o_custkey = c.c_custkey
    )
group by cntrycode
order by cntrycode
