"""The commands of both tools, and what their JSON says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kit.rounds import Figures, Tool

FIO_RING = ("--ioengine=io_uring", "--fixedbufs", "--registerfiles")
"""What makes fio's ring cheap, and what our engine does as well."""
HUGE_PAGES = ("env", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1")
"""Puts fio's buffers into huge pages, where ours lie; they have to be aligned as well: `--iomem_align=2m`."""


_BRIEF_S = 0.05
BELIEVED_OR_NOT = (0, 1)
"""Our statuses of a measurement: with 1 a truth check spoke against the target."""


def ours(name: str, program: str, target: Path | str, *words: str, runtime_s: float) -> Tool:
    """`plimsoll io`. No warm-up, as fio has none: I/Os and processor time then span the same seconds in both."""

    def lasting(seconds: float) -> tuple[str, ...]:
        times = ("--runtime", f"{seconds:g}s", "--warm-up", "0")
        return (program, "io", str(target), *words, *times, "--json")

    return Tool(name, lasting(runtime_s), _read_ours, lasting(_BRIEF_S), BELIEVED_OR_NOT)


def fio(
    name: str,
    target: Path | None,
    *words: str,
    runtime_s: float,
    op: str = "read",
    before: tuple[str, ...] = (),
    program: str = "fio",
) -> Tool:
    """One job of fio, in a thread, so that it need not fork. Its latency percentiles are those of the whole I/O (`lat`)."""
    place = () if target is None else (f"--filename={target}", "--direct=1")
    shape = ("--norandommap", "--randrepeat=0", "--thread", "--lat_percentiles=1")

    def lasting(seconds: float) -> tuple[str, ...]:
        times = ("--time_based", f"--runtime={seconds * 1e3:.0f}ms")
        return (*before, program, "--name=bench", *place, *words, *shape, *times, "--output-format=json")

    return Tool(name, lasting(runtime_s), lambda said: _read_fio(said, op), lasting(_BRIEF_S))


def _read_ours(said: Any) -> Figures:
    data = said["data"]
    figures = {
        "ios": data["ios"],
        "iops": data["iops"],
        **_quantiles("latency", data["latency_us"]),
        "cpu_us_per_io_in_window": data["cpu_us_per_io"],
    }
    return figures if data["service_us"] is None else {**figures, **_quantiles("service", data["service_us"])}


def _quantiles(what: str, spread: dict[str, Any]) -> Figures:
    """Those that are known: few I/Os have no tail."""
    known = ((name, spread[name]) for name in ("p50", "p99", "p999"))
    return {f"{what}_us_{name}": value for name, value in known if value is not None}


def _read_fio(said: Any, op: str) -> Figures:
    done = said["jobs"][0][op]
    at = done["lat_ns"]["percentile"]
    figures = {"ios": done["total_ios"], "iops": done["iops"]}
    for name, share in (("p50", "50.000000"), ("p99", "99.000000"), ("p999", "99.900000")):
        figures[f"latency_us_{name}"] = at[share] / 1e3
    return figures
