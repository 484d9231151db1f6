-- The database, the size of its blocks, and a number with a fraction, which shows how this session writes numbers.
select ':D|0|1|1|' || dbid || '|' || replace(name, '|', '\7c') || '|' || replace(platform_name, '|', '\7c') || '|' || 'NO'
    || '|' || (select max(value) from v$parameter where name = 'db_block_size') || '|' || 3 / 2 || '|.'
from v$database;
