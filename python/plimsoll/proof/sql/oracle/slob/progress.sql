select coalesce(sum(blocks), 0) as blocks from dba_segments where owner = 'PLIMSOLL_SLOB' and segment_type = 'TABLE'
