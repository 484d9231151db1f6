-- Reads and writes of data files, by tablespace, with their hundredths of a second.
select ':X|' || f.inst_id || '|' || row_number() over (order by t.name, f.inst_id) || '|' || count(*) over ()
    || '|' || 0 || '|' || replace(t.name, '|', '\7c') || '|' || sum(f.phyrds) || '|' || sum(f.phyblkrd) || '|' || sum(f.readtim)
    || '|' || sum(f.singleblkrds) || '|' || sum(f.singleblkrdtim) || '|' || sum(f.phywrts) || '|' || sum(f.writetim) || '|.'
from gv$filestat f, v$datafile d, v$tablespace t
where f.file# = d.file# and d.ts# = t.ts#
group by t.name, f.inst_id
order by t.name, f.inst_id;
