"""A plausible latency ladder of two nodes, flash, and a file server that does not answer; or one without any latency."""

from __future__ import annotations

import facts_builder
from plimsoll.facts import LatencyLadder, LatencyRung

_NONE = "no CPU may be used from here"


def latency_ladder(some: bool = True) -> LatencyLadder:
    """Prices are of memory and flash alone."""
    if not some:
        rung = LatencyRung(
            name="memory", kind="memory", state="not measured", price_name="dram", reason=_NONE
        )
        return LatencyLadder(cpu=None, block_bytes=8192, rungs=(rung,))
    return LatencyLadder(cpu=5, block_bytes=8192, currency="EUR", rungs=_rungs())


def _rungs() -> tuple[LatencyRung, ...]:
    home = LatencyRung(
        name="memory of node 0", kind="memory", state="measured", price_name="dram", latency_ns=95.4, ratio_above=59.6,
        ratio_first=59.6, price_per_gb=3.1, price_times_ratio=184.8, working_set_bytes=1 << 30, cpu_node=0, memory_node=0,
        huge_share=0.97,
    )  # fmt: skip
    return (
        LatencyRung(
            name="L1 cache", kind="cache", state="measured", price_name="l1", latency_ns=1.6, ratio_first=1.0,
            working_set_bytes=16 << 10, cpu_node=0, memory_node=0,
        ),
        LatencyRung(name="L3 cache", kind="cache", state="absent", price_name="l3", reason="no L3 cache of CPU 5 is told of"),
        home,
        home.but(
            name="memory of node 1, from node 0", memory_node=1, latency_ns=141.2, ratio_above=1.48, ratio_first=88.3,
            price_times_ratio=273.7,
        ),
        LatencyRung(
            name="flash", kind="storage", state="measured", price_name="flash", latency_ns=86_300.0, ratio_above=611.2,
            ratio_first=53_938.0, price_per_gb=0.12, price_times_ratio=6_472.6, working_set_bytes=1 << 30,
            cell=facts_builder.cell(),
        ),
        LatencyRung(name="nfs", kind="storage", state="not measured", price_name="nfs", reason="filer could not be reached"),
    )  # fmt: skip
