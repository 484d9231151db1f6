"""fio at work on a file, alone or watched: a case of `bench/watch_overhead.py`. Prints one JSON object.

`python watch_work.py HOW VERB PLIMSOLL FILE SECONDS FIO-OPTION…`. HOW is `alone`; `watched` by that verb of Plimsoll; `timed`,
which is watched while the kernel times its programs: that costs a little itself, so its rates are not those of `watched`; or
`bpftrace`, with a histogram of the block layer of its own. `attached` runs no load: it is how long the probe takes to be at work.
`quiet` neither, and asks for a role that does nothing: what a watch takes without rows, whatever else the machine does.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from watching import Watching

from plimsoll.native import block_probe

SIGNS = {"watch": '"tick"', "commits": "commits since the look before"}
"""What the events of each verb have once it has told of a second."""
_TIMES_PROGRAMS = Path("/proc/sys/kernel/bpf_stats_enabled")
_SHARE_MAX = 0.01
_NOBODY = ("--role", "nobody-at-all")
_CALLS_PROGRAMS = 2
"""Begin and end of each call."""
_SAME_HISTOGRAM = """
tracepoint:block:block_rq_issue { @at[args->dev, args->sector] = nsecs; @by[args->dev, args->sector] = comm; }
tracepoint:block:block_rq_complete /@at[args->dev, args->sector]/ {
    @us[@by[args->dev, args->sector]] = hist((nsecs - @at[args->dev, args->sector]) / 1000);
    delete(@at[args->dev, args->sector]); delete(@by[args->dev, args->sector]);
}
interval:s:1 { print(@us); clear(@us); }
"""


def main() -> None:
    """Works and prints."""
    how, verb, plimsoll, file, seconds, *options = sys.argv[1:]
    load = (file, seconds, options)
    if how == "attached":
        found = _attached()
    elif how == "quiet":
        found = _quiet(verb, plimsoll, float(seconds))
    elif how == "alone":
        found = _fio(*load)
    elif how == "bpftrace":
        found = _beside_bpftrace(*load)
    else:
        found = _watched(verb, plimsoll, *load, is_timed=how == "timed")
    print(json.dumps(found))


def _attached() -> dict[str, float]:
    began_s = time.perf_counter()
    probe = block_probe.start()
    found = {"attach_s": time.perf_counter() - began_s}
    probe.stop()
    return found


def _quiet(verb: str, plimsoll: str, seconds: float) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        watch = Watching.started(plimsoll, verb, Path(folder), SIGNS[verb], *_NOBODY)
        try:
            time.sleep(seconds)
            found = {"first_row_s": watch.first_row_s, **watch.memory()}
        finally:
            _, peak_bytes = watch.ended()
    return found | {"watch_peak_bytes": peak_bytes}


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


def _watched(
    verb: str, plimsoll: str, file: str, seconds: str, options: list[str], is_timed: bool
) -> dict[str, float]:
    """With what the watch saw of it: a probe that missed I/Os would be cheap."""
    with _timing(is_timed), tempfile.TemporaryDirectory() as folder:
        watch = Watching.started(plimsoll, verb, Path(folder), SIGNS[verb])
        try:
            before_ns, before = watch.programs_ns(), watch.programs_runs()
            found = _fio(file, seconds, options)
            spent_ns, runs = watch.programs_ns() - before_ns, watch.programs_runs() - before
            found |= {"first_row_s": watch.first_row_s, **watch.memory()}
        finally:
            seen, peak_bytes = watch.ended()
    found["watch_peak_bytes"] = peak_bytes
    if verb == "watch":
        ios = _direct_reads(seen, file)
        if abs(ios - found["ios"]) > _SHARE_MAX * found["ios"]:
            sys.exit(f"error: plimsoll watch saw {ios:,} reads of fio, and fio counts {found['ios']:,.0f}")
    if is_timed and runs < _CALLS_PROGRAMS * found["ios"]:
        sys.exit(f"error: the programs of the probe ran {runs:,} times beside {found['ios']:,.0f} I/Os")
    return found | ({"probe_ns_per_io": spent_ns / found["ios"]} if is_timed else {})


def _direct_reads(seen: dict[str, Any], file: str) -> int:
    """Those of fio at its data: through the page cache it reads its own program. Older builds of ours do not know their file."""
    reads = [row for row in seen["rows"] if (row["role"], row["operation"]) == ("fio", "read")]
    return sum(row["ios"] for row in reads if row["file"] == file or row["file_kind"] == "unknown")


def _beside_bpftrace(file: str, seconds: str, options: list[str]) -> dict[str, float]:
    """Its latency by command, printed each second."""
    tracer = subprocess.Popen(("bpftrace", "-e", _SAME_HISTOGRAM), stdout=subprocess.PIPE, text=True)
    assert tracer.stdout is not None, "it is a pipe"
    if not tracer.stdout.readline().startswith("Attaching"):
        sys.exit(f"error: bpftrace did not begin, status {tracer.wait()}")
    try:
        found = _fio(file, seconds, options)
    finally:
        tracer.send_signal(signal.SIGINT)
        said, _ = tracer.communicate()
    if "@us[fio]" not in said:
        sys.exit("error: bpftrace saw nothing of fio")
    return found


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
