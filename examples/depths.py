"""Rate and latency by depth, as one frame: depths.py [TARGET]."""

import sys

import polars

import plimsoll

target = sys.argv[1] if len(sys.argv) > 1 else "sim:mean=100us,servers=8"
rows = []
for depth in (1, 2, 4, 8, 16, 32):
    cell = plimsoll.measure(target, depth=depth, runtime="1s", size="256m").cell
    rows.append(
        {"depth": depth, "iops": cell.iops, "p50_us": cell.latency_us.p50, "p99_us": cell.latency_us.p99}
    )
print(polars.DataFrame(rows))
