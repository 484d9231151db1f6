-- Parameters that a file or a statement has set.
select name, value from v$parameter
where isdefault = 'FALSE' or ismodified in ('MODIFIED', 'SYSTEM_MOD')
order by name
