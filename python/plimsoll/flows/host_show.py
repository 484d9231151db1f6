"""`plimsoll host show`: how a host is built."""

from __future__ import annotations

from pathlib import Path

from plimsoll.context import Context
from plimsoll.facts import Note, Run
from plimsoll.flows.record import record
from plimsoll.flows.report import write_report
from plimsoll.host.topology import read_topology
from plimsoll.requests.host import HostShowRequest


def show_host(ctx: Context, asked: HostShowRequest) -> Run:
    """Reads, stores and returns the run. Raises what `read_topology` and `write_report` raise."""
    started_at = ctx.clock.now()
    found = read_topology(asked.source)
    notes = tuple(Note(code=one.code, message=one.message) for one in found.problems)
    title = "topology of this host" if asked.source is None else f"topology of the host in {asked.source}"
    run = record(ctx, "host", title, started_at, topology=found, notes=notes)
    if asked.out is not None:
        write_report(run, Path(asked.out))
    return run
