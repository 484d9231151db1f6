"""What the probes take: fio's random reads with and without `plimsoll watch` and `plimsoll commits`, in turn.

For `watch`, whose probe is in the block layer: 50,000 reads of 8 KiB per second as a load, one thread that waits for each
read, and full speed. For `commits`, whose probe sees each system call: one thread that reads 64 KiB from the page cache as fast as
it can, which is some 100,000 calls per second. Both look each second meanwhile, on the same processors. The kernel also tells the
nanoseconds that it spends in the probes, and bpftrace, where it is installed, makes the same histogram beside. How long a start
takes, and how much memory, is measured too: what counts is the peak of all that is resident, pages of files among it, as nobody
else on a database's host has Python's.

`OTHER` names the command of another build, which is then measured in turn with this one.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from kit import bench
from kit.judge import Aim
from kit.rounds import Case, Figures, Tool
from kit.targets import write_file

THROUGHPUT_MIN = 0.97
"""Of that without the probe in the block layer."""
CALLS_MIN = 0.9
"""Of that without the probe of system calls."""
PROBE_NS_PER_IO_MAX = 600.0
PEAK_BYTES_MAX = 40e6
FIRST_ROW_S_MAX = 1.5
ATTACH_S_MAX = 0.15
IOPS = 50_000
_RING = ("--ioengine=io_uring", "--iodepth=16")
_LOADS = {
    f"rate-{IOPS}": (*_RING, f"--rate_iops={IOPS}"),
    "blocking": ("--ioengine=psync",),
    "full-speed": _RING,
}
_CALLS = ("--ioengine=psync", "--direct=0", "--invalidate=0", "--bs=64k", "--size=64m")
_OTHER = "bpftrace"
_BLOCK_EVENTS = Path("/sys/kernel/tracing/events/block")
"""Without it bpftrace knows no tracepoint by name."""
_OTHER_BUILD = os.environ.get("OTHER", "")
_MEMORY = ("watch_bytes", "watch_anonymous_bytes", "watch_file_bytes", "watch_share_bytes")
_WORK = Path(__file__).parent / "kit" / "watch_work.py"


def main() -> int:
    """Runs it."""
    return bench.run("watch_overhead", __doc__ or "", _measure, rounds=15, runtime_s=5)


def _measure(here: bench.Bench) -> list[Aim]:
    if (reason := _why_not_beside()) is not None:
        here.left_out[_OTHER] = reason

    def measure(place: str, folder: Path) -> list[Aim]:
        file = folder / "data"
        write_file(file, here.asked.size_bytes)
        cases = here.wanted(list(_cases(here.asked, place, file)))
        here.measure(cases, place)
        return [aim for case in cases for aim in _aims(case)]

    return here.on_each_place(here.asked.size_bytes, measure)


def _cases(asked: bench.Asked, place: str, file: Path) -> Iterator[Case]:
    def tool(how: str, verb: str, load: tuple[str, ...]) -> Tool:
        build = _OTHER_BUILD if how.startswith("other-") else asked.plimsoll
        words = (how.removeprefix("other-"), verb, build, str(file), f"{asked.runtime_s:g}", *load)
        return Tool(how, (sys.executable, str(_WORK), *words), _figures)

    ours = ("alone", *_in_turn("watched"), *_in_turn("timed"))
    for name, load in _LOADS.items():
        others = (_OTHER,) if name.startswith("rate") and _why_not_beside() is None else ()
        yield Case(f"{place}-{name}", tuple(tool(how, "watch", load) for how in (*ours, *others)))
    yield Case(f"{place}-calls", tuple(tool(how, "commits", _CALLS) for how in ours))
    yield Case(f"{place}-start", (tool("attached", "watch", ()),))
    yield Case(f"{place}-quiet", tuple(tool(how, "watch", ()) for how in _in_turn("quiet")))


def _why_not_beside() -> str | None:
    """Why bpftrace cannot be measured, or None."""
    if shutil.which(_OTHER) is None:
        return f"{_OTHER} is not installed"
    if not _BLOCK_EVENTS.is_dir():
        return f"{_OTHER} finds no tracepoints: mount -t tracefs tracefs {_BLOCK_EVENTS.parents[1]}"
    return None


def _in_turn(how: str) -> tuple[str, ...]:
    """With this build, and with the other where one is named."""
    return (how, f"other-{how}") if _OTHER_BUILD else (how,)


def _aims(case: Case) -> list[Aim]:
    if case.name.endswith("start"):
        return [Aim(case.name, "attach_s", "attached", median_max=ATTACH_S_MAX)]
    if case.name.endswith("quiet"):
        return [
            Aim(case.name, "watch_peak_bytes", "quiet", median_max=PEAK_BYTES_MAX),
            Aim(case.name, "first_row_s", "quiet", median_max=FIRST_ROW_S_MAX),
            *(Aim(case.name, figure, "quiet") for figure in _MEMORY),
        ]
    if case.name.endswith("calls"):
        return [
            Aim(case.name, "iops", "watched", ("alone",), median_min=CALLS_MIN),
            Aim(case.name, "probe_ns_per_io", "timed"),
            *_beside_other(case.name),
        ]
    others = [tool.name for tool in case.tools if tool.name == _OTHER]
    return [
        Aim(case.name, "iops", "watched", ("alone",), median_min=THROUGHPUT_MIN),
        Aim(case.name, "latency_us_p50", "watched", ("alone",)),
        Aim(case.name, "probe_ns_per_io", "timed", median_max=PROBE_NS_PER_IO_MAX),
        Aim(case.name, "watch_peak_bytes", "watched", median_max=PEAK_BYTES_MAX),
        *(Aim(case.name, figure, "watched") for figure in _MEMORY),
        *_beside_other(case.name),
        Aim(case.name, "first_row_s", "watched", median_max=FIRST_ROW_S_MAX),
        *(Aim(case.name, "iops", other, ("alone",)) for other in others),
    ]


def _beside_other(case: str) -> Iterator[Aim]:
    """What the other build takes, and this one of that."""
    if not _OTHER_BUILD:
        return
    for how, figure in (
        ("timed", "probe_ns_per_io"),
        *(("watched", one) for one in ("watch_peak_bytes", *_MEMORY)),
    ):
        yield Aim(case, figure, f"other-{how}")
        yield Aim(case, figure, how, (f"other-{how}",))


def _figures(said: Figures) -> Figures:
    return said


if __name__ == "__main__":
    sys.exit(main())
