"""How closely processes that do nothing else begin together on this machine as it is: what a spread of ours is held against."""

from __future__ import annotations

import subprocess
import sys
import time

_AHEAD_S = 0.3
_WAITS = """import sys, time
print(flush=True)
at_ns = int(sys.stdin.readline())
time.sleep(max(0.0, (at_ns - time.time_ns()) / 1e9 - 0.0015))
while time.time_ns() < at_ns:
    pass
print(time.time_ns())
"""
"""Sleeps until shortly before the moment and then looks at the clock, as agents do."""


def bare_start_spread_us(processes: int) -> float:
    """From the first to the last of so many processes that were told one moment."""
    words = [sys.executable, "-S", "-c", _WAITS]
    pipe = subprocess.PIPE
    waiting = [subprocess.Popen(words, text=True, stdin=pipe, stdout=pipe) for _ in range(processes)]
    for one in waiting:
        assert one.stdout is not None
        one.stdout.readline()
    at_ns = time.time_ns() + round(_AHEAD_S * 1e9)
    begun_ns = []
    for one in waiting:
        assert one.stdin is not None
        one.stdin.write(f"{at_ns}\n")
        one.stdin.flush()
    for one in waiting:
        out, _ = one.communicate(timeout=60)
        begun_ns.append(int(out))
    return (max(begun_ns) - min(begun_ns)) / 1e3
