-- Keys next to each other lie in pages far apart: places are dealt out in the order of a hash of the keys, which the seed shuffles.
create temporary table plimsoll_slob.places_{table} (place bigint not null primary key, custid bigint not null) engine = innodb

insert into plimsoll_slob.places_{table}
select row_number() over (order by md5(concat(seq, '/', {seed})), seq), seq from plimsoll_slob.seq_1_to_{rows}

-- Twice as many as wanted, in the order of their places, so that two share a page.
insert into plimsoll_slob.{table}
select straight_join
    2 * (k.place - 1) + second.n, if(second.n = 0, k.custid, null),
    md5(concat('c2', k.custid)), md5(concat('c3', k.custid)), md5(concat('c4', k.custid)), md5(concat('c5', k.custid)), md5(concat('c6', k.custid)),
    md5(concat('c7', k.custid)), md5(concat('c8', k.custid)), md5(concat('c9', k.custid)), md5(concat('c10', k.custid)), md5(concat('c11', k.custid)),
    md5(concat('c12', k.custid)), md5(concat('c13', k.custid)), md5(concat('c14', k.custid)), md5(concat('c15', k.custid)), md5(concat('c16', k.custid)),
    md5(concat('c17', k.custid)), md5(concat('c18', k.custid)), md5(concat('c19', k.custid)), md5(concat('c20', k.custid)), repeat('x', 5500)
from plimsoll_slob.places_{table} k, (select 0 as n union all select 1) second

delete from plimsoll_slob.{table} where custid is null

drop temporary table plimsoll_slob.places_{table}
