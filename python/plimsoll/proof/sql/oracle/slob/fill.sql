-- Keys next to each other lie in blocks far apart: rows are stored in the order of a hash of their keys, which the seed shuffles.
-- Two lists of numbers are joined, since one that long would not fit into a session's memory.
insert into plimsoll_slob.{table}
select key,
    lower(rawtohex(standard_hash('c2' || key, 'MD5'))), lower(rawtohex(standard_hash('c3' || key, 'MD5'))), lower(rawtohex(standard_hash('c4' || key, 'MD5'))),
    lower(rawtohex(standard_hash('c5' || key, 'MD5'))), lower(rawtohex(standard_hash('c6' || key, 'MD5'))), lower(rawtohex(standard_hash('c7' || key, 'MD5'))),
    lower(rawtohex(standard_hash('c8' || key, 'MD5'))), lower(rawtohex(standard_hash('c9' || key, 'MD5'))), lower(rawtohex(standard_hash('c10' || key, 'MD5'))),
    lower(rawtohex(standard_hash('c11' || key, 'MD5'))), lower(rawtohex(standard_hash('c12' || key, 'MD5'))), lower(rawtohex(standard_hash('c13' || key, 'MD5'))),
    lower(rawtohex(standard_hash('c14' || key, 'MD5'))), lower(rawtohex(standard_hash('c15' || key, 'MD5'))), lower(rawtohex(standard_hash('c16' || key, 'MD5'))),
    lower(rawtohex(standard_hash('c17' || key, 'MD5'))), lower(rawtohex(standard_hash('c18' || key, 'MD5'))), lower(rawtohex(standard_hash('c19' || key, 'MD5'))),
    lower(rawtohex(standard_hash('c20' || key, 'MD5')))
from (
    select (a.n - 1) * 10000 + b.n as key
    from
        (select level as n from dual connect by level <= ceil({rows} / 10000)) a
        cross join (select level as n from dual connect by level <= 10000) b
    where (a.n - 1) * 10000 + b.n <= {rows}
)
order by ora_hash(key, 4294967295, {seed}), key
