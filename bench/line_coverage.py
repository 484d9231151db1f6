"""How often the 95 % interval of `plimsoll line` holds the truth, and how far answers for one real target lie apart.

Two hundred searches on simulated targets whose true line is known, of five laws and with as many seeds: at least 180 of the
intervals must hold it. Two truths are theory's (M/M/1, M/M/c), the others are found by runs of eight million I/Os. Time is virtual
and goes by the budget as on a real target. Then searches of a file on this machine's disk, alone and beside a load that comes and
goes, and of a loop device that the kernel throttles: how far their answers lie apart stands beside their intervals, and a steady
target takes 30 s in the median. Tables for docs/methods.md are kept as table.md. `--case simulated` and `--case real` do one half.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import exp, factorial
from pathlib import Path
from typing import Any

from kit import bench
from kit.judge import Aim
from kit.rounds import Sample, pack
from kit.targets import CannotMake, write_file
from kit.throttle import throttled_loop

SEARCHES = 200
COVERED_MIN = 180
STEADY_S_MAX = 30.0
REAL_SEARCHES = 3
THROTTLE_READS_PER_S = 2000
BUDGET_S = 60
_TRUTH_IOS = 8e6
_HALVINGS = 13
_DISTURBED_S, _QUIET_S = 2.0, 5.0


@dataclass(frozen=True)
class Law:
    """A simulated target, its objective, and the line where theory gives it; else the rates between which it is looked for."""

    name: str
    target: str
    quantile: float
    limit_us: float
    truth: float | None = None
    between: tuple[float, float] = (0.0, 0.0)

    @property
    def slo(self) -> str:
        """As it is typed."""
        return f"p{100 * self.quantile:g}={self.limit_us / 1e3:g}ms"


def main() -> int:
    """Runs it."""
    return bench.run(
        "line_coverage", __doc__ or "", _measure, rounds=SEARCHES, runtime_s=BUDGET_S, programs=()
    )


def _laws() -> list[Law]:
    return [
        Law("M/M/1", "sim:mean=100us", 0.99, 1000.0, _crossing(1, 100.0, 0.99, 1000.0)),
        Law("M/M/8", "sim:mean=800us,servers=8", 0.99, 5000.0, _crossing(8, 800.0, 0.99, 5000.0)),
        Law(
            "constant, pauses of 5 ms",
            "sim:law=constant,mean=100us,delay=0.0004,delay_by=5ms",
            0.99,
            2000.0,
            between=(1000.0, 9000.0),
        ),
        Law(
            "two modes, 20 and 500 µs",
            "sim:mean=500us,cache=960g,cache_us=20us,servers=2",
            0.99,
            2000.0,
            between=(20_000.0, 60_000.0),
        ),
        Law(
            "constant, 1,500 a second", "sim:law=constant,mean=667us", 0.99, 10_000.0, between=(800.0, 1499.0)
        ),
    ]


def _crossing(servers: int, mean_us: float, quantile: float, limit_us: float) -> float:
    """Where the time in an M/M/c queue reaches the limit, by halving (Kleinrock 1975, section 3.4)."""
    low, high = 0.0, servers * 1e6 / mean_us
    for _ in range(60):
        middle = (low + high) / 2
        late = _late_share(servers, mean_us, middle, limit_us)
        low, high = (middle, high) if late < 1 - quantile else (low, middle)
    return low


def _late_share(servers: int, mean_us: float, rate: float, limit_us: float) -> float:
    """P(time in the system > limit): own service alone, or after a wait, with which Erlang's C is the chance."""
    offered, times = rate * mean_us / 1e6, limit_us / mean_us
    last = offered**servers / factorial(servers) * servers / (servers - offered)
    waits = last / (sum(offered**n / factorial(n) for n in range(servers)) + last)
    free = servers - offered
    both = (
        times * exp(-times)
        if abs(free - 1) < 1e-9
        else (exp(-times) - exp(-free * times)) * free / (free - 1)
    )
    tail = exp(-times) if abs(free - 1) < 1e-9 else 0.0
    waited = both + tail if abs(free - 1) < 1e-9 else both + exp(-free * times)
    return (1 - waits) * exp(-times) + waits * waited


def _measure(here: bench.Bench) -> list[Aim]:
    laws = [law for law in _laws() if here.asked.case in f"simulated {law.name}"]
    raw = here.folder / "raw"
    raw.mkdir()
    rows = [
        _head(
            "law",
            "searches",
            "truth",
            "covered",
            "width of the interval",
            "spread of the answers",
            "time, virtual",
        )
    ]
    aims = []
    try:
        for law in laws:
            rows.append(_simulated(here, law, raw))
        rows.append("")
        rows.append(_head("target", "searches", "answers", "spread", "width of the interval", "time"))
        for place, target in _real_targets(here) if here.asked.case in "real" else ():
            rows.append(_real(here, place, target, raw))
            steady = STEADY_S_MAX if place != "disturbed" else None
            aims.append(Aim(place, "seconds", "plimsoll", median_max=steady))
    finally:
        pack(raw)
    (here.folder / "table.md").write_text("\n".join(rows) + "\n")
    here.describe(laws=[law.__dict__ for law in laws])
    covered = sum(sample.figures["covered"] for sample in here.samples if "covered" in sample.figures)
    share = COVERED_MIN / SEARCHES * sum("covered" in sample.figures for sample in here.samples)
    here.samples.append(Sample("all laws", "plimsoll", 0, {"searches_covered": float(covered)}))
    return [*([Aim("all laws", "searches_covered", "plimsoll", median_min=share)] if laws else []), *aims]


def _simulated(here: bench.Bench, law: Law, raw: Path) -> str:
    truth = law.truth or _truth(here, law)
    found = []
    for seed in range(1, max(2, here.asked.rounds // len(_laws())) + 1):
        words = ("--slo", law.slo, "--budget", f"{BUDGET_S}", "--seed", str(seed))
        data, _ = _search(here, law.target, words, raw / f"{_file(law.name)}-{seed:03d}.json")
        found.append(data)
        low, high = data["ci95"] or (0.0, float("inf"))
        spent = sum(trial["cell"]["runtime_s"] + trial["cell"]["warm_up_s"] for trial in data["trials"])
        figures = {
            "truth_iops": truth,
            "line_iops": data["line_iops"] or 0.0,
            "low_iops": low,
            "high_iops": high,
            "covered": float(bool(data["ci95"]) and low <= truth <= high),
            "virtual_s": spent,
        }
        _keep(here, Sample(law.name, "plimsoll", seed, figures))
    own = [sample.figures for sample in here.samples if sample.case == law.name]
    return _row(
        law.name,
        f"{len(own)}",
        f"{truth:,.0f}",
        f"{sum(figures['covered'] for figures in own):.0f}",
        _percent(statistics.median(f["high_iops"] / f["low_iops"] - 1 for f in own)),
        _percent(_spread([figures["line_iops"] for figures in own if figures["line_iops"]])),
        f"{statistics.median(figures['virtual_s'] for figures in own):.0f} s",
    )


def _truth(here: bench.Bench, law: Law) -> float:
    """By halving: at each rate eight million I/Os, or fewer in a quick run."""
    low, high = law.between
    ios = _TRUTH_IOS if here.asked.rounds >= SEARCHES else _TRUTH_IOS / 20
    for step in range(_HALVINGS):
        rate = (low * high) ** 0.5
        words = (
            "--rate",
            f"{rate:.3f}",
            "--runtime",
            f"{ios / rate:.1f}s",
            "--depth",
            "512",
            "--seed",
            str(step),
        )
        said = _said(here, "io", law.target, *words)
        p99 = said["latency_us"]["p99"]
        low, high = (rate, high) if p99 <= law.limit_us else (low, rate)
    return (low * high) ** 0.5


def _real_targets(here: bench.Bench) -> Iterator[tuple[str, Path | str]]:
    try:
        with throttled_loop(THROTTLE_READS_PER_S) as device:
            yield "throttled", device
    except CannotMake as reason:
        here.left_out["throttled"] = str(reason)
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-", dir="/var/tmp") as folder:
        file = Path(folder) / "data"
        write_file(file, here.asked.size_bytes)
        yield "file", file
        with _disturbed(here, Path(folder)):
            yield "disturbed", file


@contextmanager
def _disturbed(here: bench.Bench, folder: Path) -> Iterator[None]:
    """Beside it somebody reads large blocks of another file for two seconds of every seven."""
    other = folder / "other"
    write_file(other, here.asked.size_bytes)
    script = (
        f"while :; do {here.asked.plimsoll} io {other} --rw randread --block 256k --depth 64"
        f" --runtime {_DISTURBED_S:g}s >/dev/null 2>&1; sleep {_QUIET_S:g}; done"
    )
    with tempfile.TemporaryDirectory() as store:
        environment = {**os.environ, "PLIMSOLL_STORE": f"{store}/store.sqlite"}
        child = subprocess.Popen(["sh", "-c", script], env=environment, start_new_session=True)
        try:
            yield
        finally:
            os.killpg(child.pid, 15)
            child.wait()


def _real(here: bench.Bench, place: str, target: Path | str, raw: Path) -> str:
    searches = REAL_SEARCHES if here.asked.rounds >= SEARCHES else 2
    widths: list[float] = []
    for number in range(searches):
        data, seconds = _search(here, str(target), (), raw / f"{place}-{number:03d}.json")
        figures = {"seconds": seconds, "line_iops": data["line_iops"] or 0.0}
        if data["ci95"]:
            figures |= {"low_iops": data["ci95"][0], "high_iops": data["ci95"][1]}
            widths.append(data["ci95"][1] / data["ci95"][0] - 1)
        _keep(here, Sample(place, "plimsoll", number, figures))
    own = [sample.figures for sample in here.samples if sample.case == place]
    lines = [figures["line_iops"] for figures in own if figures["line_iops"]]
    return _row(
        place,
        f"{len(own)}",
        ", ".join(
            f"{figures['line_iops']:,.0f}" if figures["line_iops"] else "cannot tell" for figures in own
        ),
        _percent(_spread(lines)) if len(lines) > 1 else "",
        _percent(statistics.median(widths)) if widths else "",
        f"{statistics.median(figures['seconds'] for figures in own):.0f} s",
    )


def _search(here: bench.Bench, target: str, words: Sequence[str], keep: Path) -> tuple[Any, float]:
    """What a search says, and how long it took; kept without the distributions, which would be a hundred times as large."""
    begun_s = time.monotonic()
    data = _said(here, "line", target, *words)
    seconds = time.monotonic() - begun_s
    keep.write_text(
        json.dumps({"target": target, "words": words, "seconds": seconds, "line": _without_hdr(data)})
    )
    return data, seconds


def _said(here: bench.Bench, *words: str) -> Any:
    with tempfile.TemporaryDirectory() as store:
        environment = {**os.environ, "PLIMSOLL_STORE": f"{store}/store.sqlite"}
        command = [here.asked.plimsoll, *words, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode not in (0, 1):
        bench.fail(f"plimsoll ended with status {done.returncode}: {' '.join(command)}", done.stderr[-300:])
    return json.loads(done.stdout)["data"]


def _without_hdr(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_hdr(part) for name, part in value.items() if name not in ("hdr", "windows")}
    return [_without_hdr(part) for part in value] if isinstance(value, list) else value


def _keep(here: bench.Bench, sample: Sample) -> None:
    here.samples.append(sample)
    with (here.folder / "samples.ndjson").open("a") as kept:
        kept.write(json.dumps(sample.__dict__) + "\n")
    print(sample.case, sample.round, sample.figures, file=sys.stderr, flush=True)


def _spread(values: Sequence[float]) -> float:
    """Standard deviation over mean."""
    return statistics.stdev(values) / statistics.fmean(values)


def _file(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name)


def _percent(share: float) -> str:
    return f"{share:.1%}".replace("%", " %")


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _head(*cells: str) -> str:
    return f"{_row(*cells)}\n|{'---|' * len(cells)}"


if __name__ == "__main__":
    sys.exit(main())
