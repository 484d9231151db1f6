-- Whether the Diagnostics Pack is licensed here by the instance's own word, and whether Statspack is installed.
select
    (select value from v$parameter where name = 'control_management_pack_access') as packs,
    (select count(*) from all_objects where owner = 'PERFSTAT' and object_name = 'STATSPACK' and object_type = 'PACKAGE') as statspack
from dual
