"""Who slows down whom: interference.py [TARGET]. A folder as the target lets the writing shapes take part."""

import sys

import polars

import plimsoll

target = sys.argv[1] if len(sys.argv) > 1 else "sim:mean=100us,servers=2"
found = plimsoll.shapes(
    target,
    only=["oltp-readers", "scans", "log-writer"],
    runtime="1s",
    size=None if target.startswith("sim:") else "256m",
    listen=lambda event: print("…", event.message) if event.kind == "remark" else None,
)
for sentence in (found.interference.strongest, *found.interference.answers):
    print(sentence)
ratios = found.frame().with_columns(polars.col("neighbours").list.join(", "))
print(ratios.pivot("neighbours", index="io_class", values="p99_ratio"))
