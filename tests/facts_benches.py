"""What runs of `plimsoll host bench` and of other benchmarks hold: of each its verb, title and command, and its result."""

from __future__ import annotations

from typing import Any

import facts_cpu
import facts_foreign
import facts_ladder
import facts_network

_LADDER = (
    "host",
    "latency ladder of this host",
    "plimsoll host bench ladder flash=/u01 --prices prices.toml",
)
_NETWORK = (
    "host",
    "network of this host to 10.1.0.9",
    "plimsoll host bench network storage=10.1.0.5,10.1.0.9",
)
_CPU = ("host", "CPUs of this host", "plimsoll host bench cpu")
_IMPORT = ("import", "bonnie++ 2.00a bonnie.csv: db1, files of 64M", "plimsoll import bonnie.csv")


def all_benches() -> dict[str, tuple[tuple[str, str, str], dict[str, Any]]]:
    """Every kind and outcome, by name."""
    return {
        "rungs": (_LADDER, {"latency_ladder": facts_ladder.latency_ladder()}),
        "rungs_none": (_LADDER, {"latency_ladder": facts_ladder.latency_ladder(False)}),
        "network": (_NETWORK, {"network_bench": facts_network.network_bench()}),
        "network_less": (_NETWORK, {"network_bench": facts_network.network_bench(True)}),
        "foreign": (_IMPORT, {"foreign_bench": facts_foreign.foreign_bench()}),
        "heated": (_CPU, {"cpu_bench": facts_cpu.cpu_bench("clocks down")}),
        "heated_unknown": (_CPU, {"cpu_bench": facts_cpu.cpu_bench("cannot tell")}),
    }
