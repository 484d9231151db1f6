"""`plimsoll host bench memory`: how fast the memory of this host is."""

from __future__ import annotations

import os
from pathlib import Path

from plimsoll.context import Context
from plimsoll.facts import Note, Run
from plimsoll.flows.record import record
from plimsoll.flows.report import write_report
from plimsoll.host.memory import available_bytes, node_available_bytes
from plimsoll.host.memory_bench import measure, sizes
from plimsoll.host.topology import read_topology
from plimsoll.requests.host_bench import HostBenchMemoryRequest


def bench_memory(ctx: Context, asked: HostBenchMemoryRequest) -> Run:
    """Measures, stores and returns the run. Raises what `sizes`, `measure` and `write_report` raise."""
    started_at = ctx.clock.now()
    topology = read_topology()
    sized = sizes(topology, available_bytes(), asked.size_bytes)
    found = measure(
        topology,
        os.sched_getaffinity(0),
        sized,
        asked.runtime_s,
        lambda: ctx.cancel.is_set,
        node_available_bytes,
    )
    small = (
        ()
        if sized.bound is None
        else (Note(code="memory-arrays-small", message=f"arrays are small: {sized.bound}"),)
    )
    run = record(
        ctx,
        "host",
        "memory of this host",
        started_at,
        interrupted=ctx.cancel.is_set,
        memory_bench=found.bench,
        notes=(*small, *found.notes),
    )
    if asked.out is not None:
        write_report(run, Path(asked.out))
    return run
