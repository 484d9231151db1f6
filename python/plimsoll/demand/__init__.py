"""What a database asks of storage: snapshots of its counters become intervals, classes, and a workload to measure with.

The path: `collect` takes snapshots, `deltas` subtracts two of them or says why that cannot be done, `classes` sorts the
difference into kinds of I/O, `intervals` makes rates of it and finds peak and mean, `workload` turns an interval into I/O to
measure with, and `cover` finds the few mixes that stand for all intervals.
"""
