-- Variables that a file, a command or a statement has set to what is not the default of the release.
select lower(variable_name) as name, global_value as value
from information_schema.system_variables
where global_value is not null
    and global_value_origin in ('CONFIG', 'COMMAND-LINE', 'SQL', 'ENVIRONMENT')
    and not (global_value <=> default_value)
order by 1
