"""fio at work on a file, alone or watched by `plimsoll watch`: a case of `bench/watch_overhead.py`. Prints one JSON object.

`python watch_work.py HOW PLIMSOLL FILE SECONDS FIO-OPTION…`. HOW is `alone`, `watched`, or `timed`, which is watched while the
kernel times its programs: that costs a little itself, so its rates are not those of `watched`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from watching import Watching

TICK = '"tick"'
_TIMES_PROGRAMS = Path("/proc/sys/kernel/bpf_stats_enabled")
_SHARE_MAX = 0.01


def main() -> None:
    """Works and prints."""
    how, plimsoll, file, seconds, *options = sys.argv[1:]
    if how == "alone":
        found = _fio(file, seconds, options)
    else:
        found = _watched(plimsoll, file, seconds, options, is_timed=how == "timed")
    print(json.dumps(found))


def _fio(file: str, seconds: str, options: list[str]) -> dict[str, float]:
    shape = ("--direct=1", "--rw=randread", "--bs=8k", "--norandommap", "--randrepeat=0", "--thread")
    times = ("--time_based", f"--runtime={seconds}", "--lat_percentiles=1", "--output-format=json")
    command = ("fio", "--name=bench", f"--filename={file}", *shape, *options, *times)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    read = json.loads(done.stdout)["jobs"][0]["read"]
    at = read["lat_ns"]["percentile"]
    return {
        "ios": read["total_ios"],
        "iops": read["iops"],
        "latency_us_p50": at["50.000000"] / 1e3,
        "latency_us_p99": at["99.000000"] / 1e3,
    }


def _watched(plimsoll: str, file: str, seconds: str, options: list[str], is_timed: bool) -> dict[str, float]:
    """With what the watch saw of it: a probe that missed I/Os would be cheap."""
    with _timing(is_timed), tempfile.TemporaryDirectory() as folder:
        watch = Watching.started(plimsoll, "watch", Path(folder), TICK)
        try:
            before_ns = watch.programs_ns()
            found = _fio(file, seconds, options)
            spent_ns = watch.programs_ns() - before_ns
        finally:
            seen = watch.ended()
    ios = sum(row["ios"] for row in seen["rows"] if row["role"] == "fio" and row["operation"] == "read")
    if abs(ios - found["ios"]) > _SHARE_MAX * found["ios"]:
        sys.exit(f"error: plimsoll watch saw {ios:,} reads of fio, and fio counts {found['ios']:,.0f}")
    return found | ({"probe_ns_per_io": spent_ns / found["ios"]} if is_timed else {})


@contextmanager
def _timing(wanted: bool) -> Iterator[None]:
    """The kernel times its programs meanwhile."""
    if not wanted:
        yield
        return
    before = _TIMES_PROGRAMS.read_text()
    _TIMES_PROGRAMS.write_text("1")
    try:
        yield
    finally:
        _TIMES_PROGRAMS.write_text(before)


if __name__ == "__main__":
    main()
