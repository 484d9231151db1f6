"""Which latency distributions of a run are worth a picture, and what a reader should call them."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.sentences import those_left
from plimsoll.base.units import format_rate
from plimsoll.charts._values import focus, telling_trials, trial_latency, trial_state
from plimsoll.facts import Cell, LatencyUs, Line, Run, TogetherOnHosts, Watch, WatchedIo

WATCHED_MAX = 12
"""Rows of a watch whose distributions are drawn."""


def distribution_sources(run: Run) -> dict[str, bytes]:
    """HdrHistogram V2 bytes by label: what `report.build` takes as buckets, once somebody who may has decoded them.

    Of a line: up to three trials, near the demand, at the line and beyond it. Of a single cell: all its I/Os, each class
    where there are several, and, where a rate was asked for, the time that the storage alone took. Of a watch its busiest rows.
    Of several hosts all of them together, without those that were lost, and each.
    """
    of_watch = {label: row.latency_us for label, row in watched_rows(run.watch).items()} if run.watch else {}
    found = {**latencies(run), **of_watch}
    return {label: latency.hdr for label, latency in found.items() if latency.hdr and latency.count}


def latencies(run: Run) -> dict[str, LatencyUs]:
    """The facts of those distributions, but for a watch's, by the same labels: buckets are as wide as they are drawn."""
    if run.line is not None:
        found = _of_line(run.line, run.verdict.load_iops if run.verdict else None)
    elif run.hosts is not None:
        found = _of_hosts(run.hosts)
    else:
        found = _of_cell(run.cell) if run.cell is not None else {}
    return {label: latency for label, latency in found.items() if latency is not None}


def watched_rows(watch: Watch) -> dict[str, WatchedIo]:
    """The rows of a watch with most I/Os, each by what was done to which file or disk and by whom."""
    known = [row for row in watch.rows if row.latency_us.count]
    most = sorted(known, key=lambda row: -row.latency_us.count)[:WATCHED_MAX]
    labels = _told_apart([f"{row.operation} of {_place(row)} by {row.role}" for row in most], most)
    return dict(zip(labels, most, strict=True))


def _told_apart(labels: list[str], rows: Sequence[WatchedIo]) -> list[str]:
    """The labels, with the disk, what it is known by and at last a number where these are needed to tell them apart."""
    for more in (
        lambda _, row: f" at {row.device}",
        lambda _, row: f", {_KINDS.get(row.file_kind) or f'inode {row.inode_number}'}",
        lambda number, _: f", row {number}",
    ):
        twice = {label for label in labels if labels.count(label) > 1}
        labels = [
            f"{label}{more(number, row)}" if label in twice else label
            for number, (label, row) in enumerate(zip(labels, rows, strict=True), start=1)
        ]
    return labels


_KINDS = {"device": "the disk itself", "unknown": "file unknown"}


def _place(row: WatchedIo) -> str:
    """The relation or file; what is not known by its name goes by its number or disk."""
    if row.file is not None:
        return row.relation or row.file
    return f"inode {row.inode_number}" if row.file_kind == "inode" else row.device


def _of_hosts(found: TogetherOnHosts) -> dict[str, LatencyUs | None]:
    """Together those that were not lost, under their names; where one alone was not, that is its own."""
    left = found.left
    each = {one.host: one.latency_us for one in found.hosts}
    if len(left) == len(found.hosts):
        return {"all hosts": found.latency_us, **each}
    return each if len(left) == 1 else {f"{those_left(left)} together": found.latency_us, **each}


def _of_line(line: Line, demand_iops: float | None) -> dict[str, LatencyUs | None]:
    objective = focus(line)
    return {
        f"{trial_state(trial)} at {format_rate(trial.rate)}/s": trial_latency(trial, objective)
        for trial in telling_trials(line, demand_iops)
    }


def _of_cell(cell: Cell) -> dict[str, LatencyUs | None]:
    found: dict[str, LatencyUs | None] = {"all I/Os": cell.latency_us}
    if len(cell.classes) > 1:
        found |= {result.name: result.latency_us for result in cell.classes}
    if cell.arrivals.kind != "closed":
        found["storage alone"] = cell.service_us
    return found
