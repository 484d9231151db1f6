"""A line with its interval, and the trials that it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.sentences import capital
from plimsoll.base.units import format_rate, format_us
from plimsoll.cli.blocks import show_blocks
from plimsoll.cli.output import say, say_run
from plimsoll.cli.tables import Shown, show_table
from plimsoll.cli.tables import table as _table
from plimsoll.facts import Line, Run, Trial
from plimsoll.results import hosts_grid, hosts_words


def show(run: Run) -> None:
    """The line with its interval, and the trials that it rests on."""
    line = run.line
    assert line is not None, "the caller has looked"
    say(_line_words(line))
    show_table(_trial_table(line.trials))
    if line.hosts:
        show_blocks([hosts_words(line), hosts_grid(line)])
    say_run(run)


def _line_words(line: Line) -> str:
    words = f"{capital(line.reason)}."
    if line.ci95 is not None:
        words += f" 95 % interval: {format_rate(line.ci95[0])} to {format_rate(line.ci95[1])}."
    for check in line.checks:
        words += f" Not valid: {check.reason}."
    return words


def _trial_table(trials: Sequence[Trial]) -> Shown:
    table = _table(
        "trial", "asked per s", "achieved", "p50", "p99", "p99.9", "objective", spare=("p50", "p99.9", "achieved", "p99")
    )  # fmt: skip
    outcome = {True: "held", False: "missed", None: "void"}
    for trial in trials:
        spread = trial.latency_us
        figures = map(format_us, (spread.p50, spread.p99, spread.p999))
        table.add_row(
            trial.phase, format_rate(trial.rate), format_rate(trial.achieved), *figures, outcome[trial.held]
        )
    return table
