-- Blocks one at a time by the index, as a session of SLOB reads them; no plan is made again in the measured time.
set enable_bitmapscan = off; set enable_seqscan = off; set max_parallel_workers_per_gather = 0; set jit = off;
set plan_cache_mode = force_generic_plan; set statement_timeout = 0; select setseed({seed})

call plimsoll_slob.operate_{number}(0, 0, '{}', null)
