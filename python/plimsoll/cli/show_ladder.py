"""A ladder of targets as people read it on a terminal, and as `--json` gives it."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from plimsoll.base.units import format_bytes, format_rate, format_seconds
from plimsoll.cli.output import say
from plimsoll.cli.show_checks import failed_once
from plimsoll.cli.tables import show_table, table
from plimsoll.facts import LadderCurve, Run

_UNITS = {"small": "I/Os per s", "large": "MB/s"}


def ladder_data(run: Run) -> dict[str, Any]:
    """The data of the document."""
    found = run.ladder
    assert found is not None, "the caller has looked"
    return {
        "run": run.id,
        "interrupted": run.interrupted,
        **found.model_dump(mode="json"),
        "links": run.links and run.links.model_dump(mode="json"),
        "targets": [target.model_dump(mode="json") for target in run.targets],
    }


def show_ladder(run: Run) -> None:
    """The answer for each kind of I/O, then its steps."""
    found = run.ladder
    assert found is not None, "the caller has looked"
    for curve in found.curves:
        say(f"{curve.size.capitalize()} I/Os: {curve.reason}")
    if not found.curves:
        say("No repeat came to its end, so that nothing can be compared.")
    if run.links is not None:
        say(run.links.reason)
    for curve in found.curves:
        say(
            f"{curve.size} I/Os of {format_bytes(curve.block_bytes)}, {curve.depth} outstanding on each target"
        )
        show_table(_table(curve))
    for line in failed_once(step.cell for curve in found.curves for step in curve.steps):
        say(line)
    say(
        f"{found.repeats} repeats of {format_seconds(found.duration_s)} each,"
        f" {format_seconds(found.measured_s)} measured, run {run.id}"
    )


def _table(curve: LadderCurve) -> Table:
    unit = _UNITS[curve.size]
    made = table(
        "targets", "the last of them", f"alone, {unit}", f"together, {unit}", "of the sum", "95 % interval"
    )
    for step, alone in zip(curve.steps, curve.alone, strict=True):
        made.add_row(
            str(step.targets),
            alone.name,
            _rate(curve, alone.rate),
            _rate(curve, step.rate),
            f"{step.linearity:.0%}" if step.targets > 1 else "",
            _interval(step.linearity_ci95),
        )
    made.columns[1].justify = "left"
    return made


def _rate(curve: LadderCurve, rate: float) -> str:
    return format_rate(rate) if curve.size == "small" else f"{rate:,.1f}"


def _interval(of: tuple[float, float] | None) -> str:
    return "" if of is None else f"{of[0]:.0%} to {of[1]:.0%}"
