-- Whether the instance allows the Diagnostics Pack, which it does by default and which proves no licence; and whether Statspack is installed.
select
    (select value from v$parameter where name = 'control_management_pack_access') as packs,
    (select count(*) from all_objects where owner = 'PERFSTAT' and object_name = 'STATSPACK' and object_type = 'PACKAGE') as statspack
from dual
