-- Its shared memory by NUMA node, in bytes. A page counts once for each allocation that has a part of it. The server touches each
-- page that nobody has used yet; what it cannot place has no node, or a negative one.
select case when numa_node >= 0 then numa_node end as numa_node, sum(size)::bigint as bytes
from pg_shmem_allocations_numa
group by 1
order by 1
