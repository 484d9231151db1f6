"""Why percentiles are merged and not averaged: merged_percentiles.py [TARGET]."""

import sys

import plimsoll

target = sys.argv[1] if len(sys.argv) > 1 else "sim:mean=100us"
hours = [
    plimsoll.measure(target, rate=rate, runtime="2s", size="256m").cell.latency_us for rate in (500, 4000)
]
tails = [hour.p99 or 0.0 for hour in hours]
print(f"p99 of each: {', '.join(f'{tail:.0f} µs' for tail in tails)}")
print(f"their mean:  {sum(tails) / len(tails):.0f} µs")
print(f"of all I/Os: {plimsoll.merge(hours).p99:.0f} µs")
