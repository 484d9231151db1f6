-- Running totals of the instance since it started.
select name, value from v$sysstat
where name in (
    'user commits', 'user rollbacks', 'session logical reads',
    'physical reads', 'physical reads direct', 'physical reads direct temporary tablespace',
    'physical read total IO requests', 'physical read total bytes', 'physical read total multi block requests',
    'physical writes', 'physical writes direct temporary tablespace',
    'physical write total IO requests', 'physical write total bytes', 'physical write total multi block requests',
    'redo size', 'redo wastage', 'redo writes', 'redo blocks written', 'redo synch writes',
    'table fetch by rowid', 'table scan rows gotten'
)
