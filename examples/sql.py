"""SQL over what was measured, by DuckDB through Arrow, nothing copied by hand: sql.py [TARGET]."""

import sys

import duckdb

import plimsoll

target = sys.argv[1] if len(sys.argv) > 1 else "sim:mean=100us"
line = plimsoll.line(target, slo="p99=1ms", trial="20s")
print(
    duckdb.sql(
        "SELECT phase, count(*) AS trials, round(min(rate)) AS slowest, round(max(rate)) AS fastest, bool_and(held) AS all_held"
        " FROM line GROUP BY phase ORDER BY phase"
    )
)
