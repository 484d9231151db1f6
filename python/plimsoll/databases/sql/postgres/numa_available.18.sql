-- Whether this server was built with libnuma, and the kernel has NUMA.
select pg_numa_available() as is_available
