"""A demand that was watched: the classes of its busiest interval and of its mean, and what the server counted."""

from __future__ import annotations

from plimsoll.base.units import format_bytes, format_rate, format_us
from plimsoll.cli.blocks import show_blocks
from plimsoll.cli.output import say, say_run
from plimsoll.cli.tables import Shown, show_table
from plimsoll.cli.tables import table as _table
from plimsoll.facts import Demand, Run
from plimsoll.results import activity_blocks


def show(run: Run) -> None:
    """The demand's classes in the busiest interval and on average; of a PostgreSQL what it counted in all of the time."""
    demand = run.demand
    assert demand is not None, "the caller has looked"
    say(f"{demand.database.kind} {demand.database.version}, {demand.database.location}")
    if demand.peak is None:
        say("the database asked the storage for nothing while it was watched, or nothing could be counted")
    else:
        least = "at least " if demand.is_lower_bound else ""
        rate = f"{least}{format_rate(demand.peak.iops)} I/Os per second"
        say(f"highest demand {rate} at a resolution of {demand.resolution_s:g} s")
        show_table(_demand_table(demand))
    show_blocks(activity_blocks(demand))
    say_run(run)


def _demand_table(demand: Demand) -> Shown:
    table = _table("class", "peak I/Os per s", "mean I/Os per s", "mean size", "mean latency")
    assert demand.peak is not None, "the caller has looked"
    for name, busiest in demand.peak.classes.items():
        usual = demand.mean.classes.get(name) if demand.mean is not None else None
        size = busiest.mean_bytes
        table.add_row(
            name.replace("_", " "),
            format_rate(busiest.ops_per_s),
            format_rate(usual.ops_per_s if usual else None),
            "unknown" if size is None else format_bytes(round(size)),
            format_us(usual.latency_us_mean if usual else None),
        )
    return table
