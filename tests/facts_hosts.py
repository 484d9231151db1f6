"""One workload from four hosts: what they got together, the same with one that was lost, and a line of them."""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

import facts_builder
from facts_builder import STARTED_AT, cell, latency_at, target
from plimsoll.facts import (
    Cell,
    CellOnHost,
    Check,
    HostPart,
    HotFile,
    HotFileRound,
    Line,
    LineHost,
    Note,
    TogetherOnHosts,
    Window,
)

NAMES = ("db1", "db2", "db3", "db4")
_RATES = (21_000.0, 20_400.0, 20_900.0, 20_200.0)
_SECONDS = 5


def hosts(lost: bool = False) -> TogetherOnHosts:
    """Four of a kind; the last one may be lost after two of five seconds."""
    parts = tuple(
        _part(name, rate, number, lost and number == 3)
        for number, (name, rate) in enumerate(zip(NAMES, _RATES, strict=True))
    )
    whole = [part for part in parts if part.lost_because is None]
    iops = sum(part.iops or 0.0 for part in whole)
    odd = Check(
        name="stragglers", passed=None, reason="with 3 hosts nobody can tell which one is odd; it takes 4"
    )
    even = Check(
        name="stragglers", passed=True, reason="no host falls behind the others", figures={"stragglers": 0.0}
    )
    complete_s = 2.0 if lost else 5.0
    together = Check(
        name="together", passed=not lost, reason=f"all 4 hosts measured at the same time for {complete_s:.0f} s of 5 s",
        figures={"steady_s": complete_s, "asked_s": 5.0, "share": complete_s / 5},
    )  # fmt: skip
    notes = tuple(Note(code="host-lost", message=part.lost_because) for part in parts if part.lost_because)
    return TogetherOnHosts(
        hosts=parts, began_at=STARTED_AT + timedelta(seconds=3), start_spread_us=212.0, end_spread_us=34.0, spread_error_us=61.0,
        steady_from_s=0.0, steady_s=5.0, asked_s=5.0, iops=iops, mb_per_s=iops * 8192 / 1e6,
        latency_us=latency_at(20_000.0, 412_500),
        one_storage=True, complete_s=complete_s, complete_iops=sum(part.iops or 0.0 for part in parts),
        checks=(together, odd if lost else even), notes=notes,
    )  # fmt: skip


def _part(name: str, iops: float, number: int, is_lost: bool) -> HostPart:
    seconds = 2 if is_lost else _SECONDS
    windows = tuple(
        Window(
            start_s=float(at), duration_s=1.0, iops=iops * (1 + (at + number) % 3 / 100), latency_us_p50=410.0,
            latency_us_p99=1_900.0 + 100 * number, latency_us_max=9_000.0,
        )
        for at in range(seconds)
    )  # fmt: skip
    return HostPart(
        host=name, clock_offset_us=230.0 * number - 300, clock_error_us=11.0, clock_drift_us=None if is_lost else 2.0,
        begun_late_us=None if is_lost else 90.0 + 53 * number, iops=iops,
        mb_per_s=iops * 8192 / 1e6,
        latency_us=latency_at(20_000.0, round(iops * seconds)),
        lost_because="db4 was lost: nothing was heard of it for 14 s" if is_lost else None, windows=windows,
        target=target(), cell=None if is_lost else cell(None, seed=1 + number),
    )  # fmt: skip


def line() -> Line:
    """A line that four of a kind reach together, one of which is slower."""
    hosts = tuple(
        LineHost(
            name=name, clock_offset_us=230.0 * number - 300, clock_error_us=11.0, iops=rate / 4,
            latency_us=latency_at(20_000.0 + 10_000 * (number == 2), 30_000), late_ratio=0.9 if number == 2 else 0.1,
        )
        for number, (name, rate) in enumerate(zip(NAMES, _RATES, strict=True))
    )  # fmt: skip
    note = Note(code="slow-host", message=f"{NAMES[2]} is slower than the other hosts, and limits the line")
    made = facts_builder.line()
    return made.but(
        hosts=hosts,
        limiting_host=NAMES[2],
        one_storage=True,
        start_spread_us=212.0,
        notes=(*made.notes, note),
    )


def hot_file() -> HotFile:
    """Two hosts that wait for each other at one file."""
    rates = {"own": (20_000.0, 19_800.0), "one": (9_900.0, 10_100.0)}
    order: tuple[tuple[Literal["own", "one"], int], ...] = (("own", 0), ("one", 0), ("one", 1), ("own", 1))
    rounds = tuple(HotFileRound(of=of, cell=_of_two(rates[of][at])) for of, at in order)
    ratios = (rates["one"][0] / rates["own"][0], rates["one"][1] / rates["own"][1])
    return HotFile(
        hosts=NAMES[:2], path="/data/plimsoll-scratch-1.dat", rounds=rounds, ratios=ratios, ratio=sum(ratios) / 2,
        start_spread_us=212.0, rounds_asked=4,
    )  # fmt: skip


def _of_two(rate: float) -> Cell:
    whole = cell(rate)
    names = [name for name in CellOnHost.model_fields if name != "name"]
    part = cell(rate / 2)
    hosts = tuple(
        CellOnHost(name=host, **{name: getattr(part, name) for name in names}) for host in NAMES[:2]
    )
    return whole.but(hosts=hosts)
