"""Results as people read them on a terminal: the answer first, then tables. Readable without colour."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from plimsoll.base import registry
from plimsoll.base.sentences import names_as_given
from plimsoll.base.units import format_bytes, format_ratio
from plimsoll.cli import results as own_words
from plimsoll.cli.blocks import show_blocks
from plimsoll.cli.checks import failed_once
from plimsoll.cli.output import say, say_lines, say_run
from plimsoll.cli.tables import Shown, show_table, table
from plimsoll.facts.names import names_in
from plimsoll.results import answer, kinds, main_kind

if TYPE_CHECKING:
    from plimsoll.facts import PredictionSummary, Run, RunSummary, SnapshotSeries, ThinnedSeries


def show_any(run: Run) -> None:
    """A stored run, in the form of what it found."""
    tags = f", tagged {', '.join(run.tags)}" if run.tags else ""
    say(f"run {run.id}: {run.title}, {run.started_at:%Y-%m-%d %H:%M:%S %Z}{tags}")
    if run.interrupted:
        say("interrupted: this is what was measured until then")
    show_result(run)


def show_result(run: Run) -> None:
    """What the run found: in words of its own, as blocks, or of a kind that is not known here as JSON."""
    with names_as_given(names_in(run)):
        _show(run)


def _show(run: Run) -> None:
    name = main_kind(run)
    kind = kinds().get(name or "")
    if name is not None and name.replace("_", "-") in registry.names(own_words):
        registry.load(own_words, name.replace("_", "-"), "show")(run)
    elif kind is not None and kind.blocks is not None:
        show_blocks(kind.blocks(run))
        for line in failed_once(kind.cells(run), on_hosts=name == "hosts"):
            say(line)
        say_run(run)
    elif name is not None:
        say(f"{answer(run)}:")
        say_lines(json.dumps(run.results[name], ensure_ascii=False, indent=1, default=str))


def show_summaries(runs: Sequence[RunSummary], is_part: bool = False) -> None:
    """One line per run; `is_part`: only some were wanted. Tags have a column where a run has one."""
    if not runs:
        say("no run fits" if is_part else "no runs are stored yet; plimsoll demo makes one")
        return
    show_table(summaries_table(runs))


def summaries_table(runs: Sequence[RunSummary]) -> Shown:
    """A row for each run. An id says when it began, and most results of what kind they are, so these columns drop out first."""
    tagged = any(run.tags for run in runs)
    headings = ("run", "kind", "when", *(("tags",) if tagged else ()), "what", "result")
    made = table(*headings, text_columns=len(headings), spare=("when", "kind", "tags", "what"))
    for run in runs:
        is_said = not run.interrupted or "interrupted" in run.result
        result = run.result + ("" if is_said else " (interrupted)")
        tags = (", ".join(run.tags),) if tagged else ()
        made.add_row(run.id, run.kind, f"{run.started_at:%Y-%m-%d %H:%M}", *tags, run.title, result)
    return made


def show_series(series: Sequence[SnapshotSeries]) -> None:
    """One line for each series of kept snapshots."""
    if not series:
        say("no snapshots are kept; plimsoll demand --every keeps them")
        return
    made = table("series", "from", "to", "snapshots", "takes", text_columns=3, spare=("takes",))
    for one in series:
        made.add_row(
            one.series, f"{one.first_at:%Y-%m-%d %H:%M}", f"{one.last_at:%Y-%m-%d %H:%M}", f"{one.snapshots:,}",
            format_bytes(one.size_bytes),
        )  # fmt: skip
    show_table(made)


def show_forgotten(series: Sequence[SnapshotSeries], is_looked_at: bool) -> None:
    """One line for each series that was removed, or only looked at."""
    show_series(series)
    say(f"{len(series):,} series {'would be ' if is_looked_at else ''}removed")


def show_thinned(series: Sequence[ThinnedSeries]) -> None:
    """One line for each series that was thinned, or only looked at."""
    if not series:
        say("no snapshots are kept; plimsoll demand --every keeps them")
        return
    headings = ("series", "snapshots", "days", "added up", "removed as too old", "took", "takes")
    made = table(*headings, text_columns=1, spare=("took",))
    for one in series:
        takes = "only looked at" if one.size_bytes is None else format_bytes(one.size_bytes)
        made.add_row(
            one.series, f"{one.snapshots:,}", f"{one.days:,}", f"{one.removed:,}", f"{one.forgotten:,}",
            format_bytes(one.size_bytes_before), takes,
        )  # fmt: skip
    show_table(made)


def show_predictions(summaries: Sequence[PredictionSummary]) -> None:
    """One line for each run that settles a verdict, and one for each open verdict."""
    if not summaries:
        say("no verdicts are stored yet; plimsoll assess makes one")
        return
    headings = ("run", "when", "target", "database", "predicted", "outcome", "settled", "observed", "error")
    spare = ("database", "when", "settled", "target", "observed", "error")
    made = table(*headings, text_columns=len(headings), spare=spare)
    for one in summaries:
        made.add_row(
            one.run, f"{one.predicted_at:%Y-%m-%d %H:%M}", one.target or "unknown", one.database or "unknown",
            one.predicted + ("" if one.headroom is None else f", headroom {format_ratio(one.headroom)}"),
            one.state, "" if one.settled_at is None else f"{one.settled_at:%Y-%m-%d %H:%M}",
            (one.observed or "").removeprefix(f"{one.state}: "),
            "" if one.error_share is None else f"{100 * one.error_share:+.0f} %",
        )  # fmt: skip
    show_table(made)
