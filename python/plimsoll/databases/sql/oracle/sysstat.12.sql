-- Running totals of all instances since they started, and how many are open: the sums of other instances are not comparable.
select name, sum(value) as value from gv$sysstat
where name in (
    'user commits', 'user rollbacks', 'session logical reads',
    'physical reads', 'physical reads direct', 'physical reads direct temporary tablespace',
    'physical read total IO requests', 'physical read total bytes', 'physical read total multi block requests',
    'physical writes', 'physical writes direct temporary tablespace',
    'physical write total IO requests', 'physical write total bytes', 'physical write total multi block requests',
    'redo size', 'redo wastage', 'redo writes', 'redo blocks written', 'redo synch writes',
    'table fetch by rowid', 'table scan rows gotten'
)
group by name
union all
select 'instances open' as name, count(*) as value from gv$instance
