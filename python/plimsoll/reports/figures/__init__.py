"""From the typed views of a report to its demand.

`evidence.py` finds printed numbers, `known.py` computes with them and keeps their cells, `counters.py` makes rates of them,
`totals.py` and `split.py` sort them into classes, `redo.py` and `temp.py` look at the log and at temporary files, `cross_checks.py`
compares what a report prints twice, and `interval.py` puts it together. `miner.py` does all of it for
AWR-Miner, which prints rates and no counts.
"""
