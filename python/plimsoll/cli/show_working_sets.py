"""Rates over bytes visited as people read them on a terminal, and as `--json` gives them."""

from __future__ import annotations

from typing import Any

from plimsoll.base.units import format_bytes, format_rate, format_seconds, format_us
from plimsoll.cli.output import say
from plimsoll.cli.show_checks import failed_once
from plimsoll.cli.tables import show_table, table
from plimsoll.facts import Run

_BAR = 30


def working_sets_data(run: Run) -> dict[str, Any]:
    """The data of the document."""
    found = run.working_sets
    assert found is not None, "the caller has looked"
    targets = run.targets or ((run.target,) if run.target else ())
    return {
        "run": run.id,
        "interrupted": run.interrupted,
        **found.model_dump(mode="json"),
        "targets": [target.model_dump(mode="json") for target in targets],
    }


def show_working_sets(run: Run) -> None:
    """The answer, then a bar for each size."""
    found = run.working_sets
    assert found is not None, "the caller has looked"
    say(found.reason)
    most = max((one.iops for one in found.sets), default=0.0) or 1.0
    made = table("within", "I/Os per s", "95 % interval", "mean", "p50", "p99", "", text_columns=0)
    for one in found.sets:
        low, high = map(format_rate, one.iops_ci95) if one.iops_ci95 else ("", "")
        bar = "█" * max(1, round(_BAR * one.iops / most))
        figures = map(format_us, (one.latency_us_mean, one.latency_us_p50, one.latency_us_p99))
        interval = f"{low} to {high}" if one.iops_ci95 else "unknown"
        made.add_row(format_bytes(one.set_bytes), format_rate(one.iops), interval, *figures, bar)
    made.columns[-1].justify = "left"
    show_table(made)
    for line in failed_once(one.cell for one in found.sets):
        say(line)
    say(
        f"{format_bytes(found.block_bytes)} reads, {found.depth} outstanding; {found.repeats} repeats of"
        f" {format_seconds(found.duration_s)} each, {format_seconds(found.measured_s)} measured and"
        f" {format_seconds(found.read_once_s)} to read each set once before, run {run.id}"
    )
