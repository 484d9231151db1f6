"""A measurement, and how it went over time: measure.py [TARGET]."""

import sys

import plimsoll

target = sys.argv[1] if len(sys.argv) > 1 else "sim:mean=100us,servers=4"
found = plimsoll.measure(target, rw="randrw", read_share=0.8, rate="2k", runtime="5s", size="256m")
print(found.frame().select("name", "iops", "latency_us_p50", "latency_us_p99"))
print(found.frame("windows"))
for note in found.notes:
    print("note:", note.message)
