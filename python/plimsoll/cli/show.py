"""Results as people read them on a terminal: the answer first, then tables. Readable without colour."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import import_module

from rich.table import Table

from plimsoll.base.units import format_bytes, format_rate, format_seconds, format_us
from plimsoll.cli.output import say, say_lines
from plimsoll.cli.show_blocks import show_blocks
from plimsoll.cli.show_checks import check_lines, cost_words, failed_once
from plimsoll.cli.tables import show_table, show_texts
from plimsoll.cli.tables import table as _table
from plimsoll.facts import (
    Cell,
    Demand,
    LatencyUs,
    Line,
    PredictionSummary,
    Replay,
    Run,
    RunSummary,
    Trial,
    Verdict,
)
from plimsoll.results import MIX_COLUMNS, TRIAL_COLUMNS, Block, answer, kinds, main_kind, of_mix, of_trial

_CLASS_WORDS = {True: "carries", False: "does not carry", None: "cannot tell"}


def show_any(run: Run) -> None:
    """A stored run, in the form of what it found."""
    say(f"run {run.id}: {run.title}, {run.started_at:%Y-%m-%d %H:%M:%S %Z}")
    if run.interrupted:
        say("interrupted: this is what was measured until then")
    show_result(run)


def show_result(run: Run) -> None:
    """What the run found: in words of its own, as blocks, or of a kind that is not known here as JSON."""
    name = main_kind(run)
    kind = kinds().get(name or "")
    if name in _OWN_WORDS:
        room, function = _OWN_WORDS[name].split(":")
        getattr(import_module(f"plimsoll.cli.{room}"), function)(run)
    elif kind is not None and kind.blocks is not None:
        show_blocks(kind.blocks(run))
        for line in failed_once(kind.cells(run)):
            say(line)
        say(f"run {run.id}")
    elif name is not None:
        say(f"{answer(run)}:")
        say_lines(json.dumps(run.results[name], ensure_ascii=False, indent=1, default=str))


def _rate_words(cell: Cell) -> str:
    """What was held: after a fall for good the rate to which it fell, for its mean was never held."""
    whole = f"{cell.mb_per_s:,.1f} MB/s in {format_seconds(cell.runtime_s)}"
    fallen = next((check for check in cell.checks if check.name == "cliff" and check.passed is False), None)
    if fallen is None:
        return f"{format_rate(cell.iops)} I/Os per second, {whole}"
    held, before = fallen.figures["after_iops"], fallen.figures["before_iops"]
    at = format_seconds(fallen.figures["cliff_at_s"])
    return f"{format_rate(held)} I/Os per second held, after {format_rate(before)} for the first {at}"


def show_cell(run: Run) -> None:
    """Rate, latency by class, and cost of one cell."""
    cell = run.cell
    assert cell is not None, "the caller has looked"
    say(f"{_rate_words(cell)}, run {run.id}")
    show_table(_latency_table(cell))
    direct = "direct" if cell.direct else "through the page cache"
    say(f"engine {cell.engine}, {direct}, {cell.jobs} × depth {cell.depth}")
    say(cost_words(cell))
    if cell.errors:
        say(f"{cell.errors} I/Os failed")
    if cell.arrivals.kind != "closed":
        say(_asked_words(cell))
    for line in check_lines(cell.checks):
        say(line)


def _asked_words(cell: Cell) -> str:
    words = "latency counts from when each I/O was due"
    waiting = (cell.offered_ios or 0) - cell.ios - cell.errors
    if waiting <= 0:
        return words
    asked = f"{format_rate(cell.arrivals.rate_per_s)} a second were asked for"
    return f"{words}; {asked}, and {waiting:,} were still waiting at the end: the latency is that of a queue that grows"


def _latency_table(cell: Cell) -> Table:
    table = _table("class", "I/Os per s", "mean", "p50", "p90", "p99", "p99.9", "max")
    rows: list[tuple[str, float, LatencyUs]] = [(io.name, io.iops, io.latency_us) for io in cell.classes]
    if len(rows) > 1:
        rows.append(("all", cell.iops, cell.latency_us))
    for name, iops, spread in rows:
        figures = (spread.mean, spread.p50, spread.p90, spread.p99, spread.p999, spread.max)
        table.add_row(name, format_rate(iops), *map(format_us, figures))
    return table


def show_line(run: Run) -> None:
    """The line with its interval, and the trials that it rests on."""
    line = run.line
    assert line is not None, "the caller has looked"
    say(_line_words(line))
    show_table(_trial_table(line.trials))
    say(f"run {run.id}")


def _line_words(line: Line) -> str:
    words = line.reason[:1].upper() + line.reason[1:] + "."
    if line.ci95 is not None:
        words += f" 95 % interval: {format_rate(line.ci95[0])} to {format_rate(line.ci95[1])}."
    for check in line.checks:
        words += f" That is not the storage's: {check.reason}."
    return words


def _trial_table(trials: Sequence[Trial]) -> Table:
    table = _table("trial", "asked per s", "achieved", "p50", "p99", "p99.9", "objective")
    outcome = {True: "held", False: "missed", None: "void"}
    for trial in trials:
        spread = trial.latency_us
        figures = map(format_us, (spread.p50, spread.p99, spread.p999))
        table.add_row(
            trial.phase, format_rate(trial.rate), format_rate(trial.achieved), *figures, outcome[trial.held]
        )
    return table


def show_demand(run: Run) -> None:
    """The demand's classes: busiest interval and mean."""
    demand = run.demand
    assert demand is not None, "the caller has looked"
    say(f"{demand.database.kind} {demand.database.version}, {demand.database.location}")
    if demand.peak is None:
        say("the database asked the storage for nothing while it was watched, or nothing could be counted")
    else:
        say(
            f"highest demand {format_rate(demand.peak.iops)} I/Os per second at a resolution of {demand.resolution_s:g} s"
        )
        show_table(_demand_table(demand))
    say(f"run {run.id}")


def _demand_table(demand: Demand) -> Table:
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


def show_verdict(run: Run) -> None:
    """The verdict in words, then its classes."""
    verdict = run.verdict
    assert verdict is not None, "the caller has looked"
    say(_headline(verdict))
    say(verdict.reason)
    if verdict.classes:
        show_table(_class_table(verdict))
    if verdict.mixes:
        show_table(_mix_table(verdict))
    if run.replay is not None:
        show_table(_replay_table(run.replay))
    show_blocks(_work_blocks(run))
    say(f"run {run.id}")


def _work_blocks(run: Run) -> list[Block]:
    """A backup or a migration beside the demand, where one was asked about."""
    shown = kinds()["work_window"].blocks
    return [] if run.work_window is None or shown is None else shown(run)


def _headline(verdict: Verdict) -> str:
    return _alone(verdict) + ("" if verdict.work is None else f"; {verdict.work}")


def _alone(verdict: Verdict) -> str:
    """Without the work beside it."""
    words = _CLASS_WORDS[verdict.carries].capitalize()
    if verdict.headroom is None:
        return words
    limit = f", limited by {verdict.limiting_class.replace('_', ' ')}" if verdict.limiting_class else ""
    return f"{words}: headroom {verdict.headroom:.2f}{limit}"


def _class_table(verdict: Verdict) -> Table:
    table = _table("class", "demand per s", "share", "p99 near the line", "limit")
    for io in verdict.classes:
        name = io.name.replace("_", " ")
        table.add_row(
            name,
            format_rate(io.demand_iops),
            f"{io.share:.0%}",
            format_us(io.latency_us_p99),
            "–" if io.limit_us is None else format_us(io.limit_us),
        )
    return table


def _mix_table(verdict: Verdict) -> Table:
    """The mixes that stand for the demand, the one that decides first."""
    table = _table(*MIX_COLUMNS)
    for mix in verdict.mixes:
        table.add_row(*of_mix(mix))
    return table


def _replay_table(replay: Replay) -> Table:
    """The stretches of the demand that were driven."""
    table = _table(*TRIAL_COLUMNS)
    for trial in replay.trials:
        table.add_row(*of_trial(trial))
    return table


def show_summaries(runs: Sequence[RunSummary]) -> None:
    """One line per run."""
    if not runs:
        say("no runs are stored yet; plimsoll demo makes one")
        return
    rows = []
    for run in runs:
        is_said = not run.interrupted or "interrupted" in run.result
        result = run.result + ("" if is_said else " (interrupted)")
        rows.append((run.id, run.kind, f"{run.started_at:%Y-%m-%d %H:%M}", run.title, result))
    show_texts(("run", "kind", "when", "what", "result"), rows)


def show_predictions(found: Sequence[PredictionSummary]) -> None:
    """One line per verdict."""
    if not found:
        say("no verdicts are stored yet; plimsoll assess makes one")
        return
    rows = [
        (
            one.run, f"{one.predicted_at:%Y-%m-%d %H:%M}", one.target or "unknown", one.database or "unknown",
            one.predicted + ("" if one.headroom is None else f", headroom {one.headroom:.3g}"),
            one.state, (one.observed or "").removeprefix(f"{one.state}: "),
            "" if one.error_share is None else f"{100 * one.error_share:+.0f} %",
        )
        for one in found
    ]  # fmt: skip
    show_texts(("run", "when", "target", "database", "predicted", "outcome", "observed", "error"), rows)


_OWN_WORDS = {
    "proof": "show_proof:show_proof",
    "sweep": "show_proof:show_proof",
    "verdict": "show:show_verdict",
    "line": "show:show_line",
    "demand": "show:show_demand",
    "calibration": "show_calibration:show_calibration",
    "interference": "show_shapes:show_shapes",
    "report": "show_read:show_stored",
    "cell": "show:show_cell",
    "cells": "show_fio:show_jobs",
}
"""Kinds that a terminal shows in other words than the page, by module and function."""
