"""A pandas frame of a measurement over time, by way of Arrow: pandas_frame.py [TARGET]."""

import sys

import pandas

import plimsoll

target = sys.argv[1] if len(sys.argv) > 1 else "sim:mean=100us"
found = plimsoll.measure(target, rate="5k", runtime="10s", size="256m")
windows = found.to_pandas("windows").set_index("start_s")
print(windows[["iops", "latency_us_p99"]].describe().round(1))
assert isinstance(windows, pandas.DataFrame)
