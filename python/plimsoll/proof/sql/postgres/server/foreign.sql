-- What is in a schema, or hangs on what is in it, and is not among the names given: what a drop with cascade would take along.
-- Also what PostgreSQL drops without a word together with a table: triggers, indexes, policies, statistics, publications.
-- Triggers, policies and rules on our tables are marked: they run with the rights of whoever drives them, and are measured.
-- So are tables of which one of ours was made a part or a child: what others write to them, or read there, lies in ours.
-- Toast tables, row types and the server's own triggers belong to their tables; members of an extension to the extension.
with place as (
    select oid from pg_namespace where nspname = %s
),
relation as (
    select c.oid, c.reltype, c.reltoastrelid from pg_class c join place on place.oid = c.relnamespace where c.relname = any(%s)
),
named as (
    select p.oid, count(*) over (partition by p.proname) as same
    from pg_proc p join place on place.oid = p.pronamespace where p.proname = any(%s)
),
row_type as (
    select t.oid, t.typarray from pg_type t join relation on relation.reltype = t.oid
),
own (classid, objid) as (
    select 'pg_namespace'::regclass::oid, oid from place
    union all select 'pg_class'::regclass::oid, oid from relation
    union all select 'pg_proc'::regclass::oid, oid from named where same = 1
    union all select 'pg_type'::regclass::oid, oid from row_type
    union all select 'pg_type'::regclass::oid, typarray from row_type
    union all select 'pg_constraint'::regclass::oid, c.oid from pg_constraint c join relation on relation.oid = c.conrelid
    where c.contype = 'n' or c.contype = 'p' and c.conname = any(%s)
),
quiet (classid, objid) as (
    select 'pg_class'::regclass::oid, reltoastrelid from relation
    union all select 'pg_trigger'::regclass::oid, oid from pg_trigger where tgisinternal
    union all select classid, objid from pg_depend where deptype = 'e'
)
select distinct
    case when r.ev_type = '1' then pg_describe_object('pg_class'::regclass, r.ev_class, 0)
    else pg_describe_object(d.classid, d.objid, d.objsubid) end as what,
    d.refclassid = 'pg_class'::regclass and (
        d.classid in ('pg_trigger'::regclass, 'pg_policy'::regclass) or r.ev_class = d.refobjid
    ) as acts
from pg_depend d
join own on (own.classid, own.objid) = (d.refclassid, d.refobjid)
left join pg_rewrite r on r.oid = d.objid and d.classid = 'pg_rewrite'::regclass
where not exists (select 1 from own o where (o.classid, o.objid) = (d.classid, d.objid))
    and not exists (select 1 from quiet q where (q.classid, q.objid) = (d.classid, d.objid))
union all
select pg_describe_object('pg_class'::regclass, i.inhparent, 0) || ' with the rows of ' || pg_describe_object('pg_class'::regclass, i.inhrelid, 0),
    true
from pg_inherits i join relation on relation.oid = i.inhrelid
where not exists (select 1 from relation parent where parent.oid = i.inhparent)
order by what
