"""A run as metrics for Prometheus, in its base units: seconds, bytes, ratios.

Labels name what was measured, and not the run: the next run of the same kind on the same target goes on with the same series.
What is unknown has no sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from plimsoll.dialects.openmetrics import Family, Sample
from plimsoll.facts import Cell, LatencyUs, Run
from plimsoll.store.columns import values_of

_PERCENTILES = {"p50": "50", "p90": "90", "p99": "99", "p999": "99.9", "p9999": "99.99"}
_VERDICTS = {True: "carries", False: "does not carry", None: "cannot tell"}

Found = Iterator[tuple[Mapping[str, str], float | None]]


def families(run: Run) -> tuple[Family, ...]:
    """All that the run has figures for."""
    common = labels_of(run)
    made = []
    for name, (meaning, find) in _METRICS.items():
        samples: dict[tuple[tuple[str, str], ...], Sample] = {}
        for labels, value in find(run):
            if value is not None:
                key = tuple({**common, **labels}.items())
                # Of several with the same labels the first counts: a series has one value.
                samples.setdefault(key, Sample(float(value), dict(key)))
        made.append(Family(name, meaning, tuple(samples.values())))
    return tuple(made)


def labels_of(run: Run) -> dict[str, str]:
    """What every sample says: the verb, the target, and the database where there is one."""
    named = values_of(run, ("target", "database_name"))
    return {
        "kind": run.kind,
        "target": named["target"] or "",
        "database": named["database_name"] or "",
    }


def _info(run: Run) -> Found:
    about = {"run": run.id, "version": run.provenance.plimsoll, "host": run.provenance.host.hostname}
    yield about, 1.0


def _one(of: Callable[[Run], Any]) -> Callable[[Run], Found]:
    """A figure that a run has once or not at all."""

    def find(run: Run) -> Found:
        yield {}, of(run)

    return find


def _column(name: str) -> Callable[[Run], Found]:
    return _one(lambda run: values_of(run, (name,))[name])


def _cells(run: Run) -> Iterator[tuple[Mapping[str, str], Cell]]:
    """The measured points that a run is about; those of a search or a matrix are told by their answers alone."""
    if run.cell is not None:
        yield {}, run.cell
    for number, cell in enumerate(run.cells, 1):
        yield {"cell": f"{number} {cell.workload.name}"}, cell


def _of_cells(of: Callable[[Cell], float | None]) -> Callable[[Run], Found]:
    def find(run: Run) -> Found:
        for labels, cell in _cells(run):
            yield labels, of(cell)

    return find


def _latencies(run: Run) -> Found:
    for labels, cell in _cells(run):
        yield from _percentiles({**labels, "class": "all"}, cell.latency_us)
        for part in cell.classes:
            yield from _percentiles({**labels, "class": part.name}, part.latency_us)
    if run.line is not None:
        near = [trial for trial in run.line.trials if trial.held]
        for trial in near[-1:]:
            yield from _percentiles({"class": "all"}, trial.latency_us)


def _percentiles(labels: Mapping[str, str], of: LatencyUs) -> Found:
    for name, shown in _PERCENTILES.items():
        value = getattr(of, name)
        yield {**labels, "percentile": shown}, None if value is None else value / 1e6


def _line(of: Callable[[Any], float | None]) -> Callable[[Run], Found]:
    def find(run: Run) -> Found:
        if run.line is not None:
            yield {"objective": run.line.slo.text}, of(run.line)

    return find


def _verdict(run: Run) -> Found:
    """One of three is 1, so that "cannot tell" is neither yes nor no."""
    if run.verdict is not None:
        for carries, words in _VERDICTS.items():
            yield {"verdict": words}, float(run.verdict.carries is carries)


def _failed_checks(run: Run) -> Found:
    """Where there were checks at all."""
    for labels, cell in _cells(run):
        if cell.checks:
            yield labels, sum(check.passed is False for check in cell.checks)


def _megabytes(value: float | None) -> float | None:
    return None if value is None else value * 1e6


_METRICS: dict[str, tuple[str, Callable[[Run], Found]]] = {
    "plimsoll_run_info": ("The newest run of its kind on its target; always 1.", _info),
    "plimsoll_run_start_timestamp_seconds": (
        "When it began, in seconds since 1970.",
        _one(lambda run: run.started_at.timestamp()),
    ),
    "plimsoll_run_duration_seconds": (
        "How long it took.",
        _one(lambda run: (run.ended_at - run.started_at).total_seconds()),
    ),
    "plimsoll_run_interrupted": ("1 where it was ended early.", _one(lambda run: float(run.interrupted))),
    "plimsoll_ios_per_second": ("I/Os per second.", _of_cells(lambda cell: cell.iops)),
    "plimsoll_throughput_bytes_per_second": (
        "Bytes per second.",
        _of_cells(lambda cell: _megabytes(cell.mb_per_s)),
    ),
    "plimsoll_failed_ios": ("I/Os that failed.", _of_cells(lambda cell: cell.errors)),
    "plimsoll_failed_checks": ("Checks that say that a figure is not valid.", _failed_checks),
    "plimsoll_latency_seconds": (
        "Latency that this percentage of I/Os did not exceed; of a line, in the last trial that held.",
        _latencies,
    ),
    "plimsoll_line_ios_per_second": (
        "The line: I/Os per second at which the objective still holds.",
        _line(lambda line: line.line_iops),
    ),
    "plimsoll_safe_ios_per_second": (
        "The rate that may be relied on: the lower end of the line's 95 % interval.",
        _line(lambda line: line.safe_iops),
    ),
    "plimsoll_demand_ios_per_second": (
        "Highest demand of the database, in I/Os per second.",
        _column("demand_iops"),
    ),
    "plimsoll_verdict": (
        "Whether the storage carries the database: 1 for the answer, 0 for others.",
        _verdict,
    ),
    "plimsoll_headroom_ratio": ("The line / what is asked: above 1 is room.", _column("headroom")),
    "plimsoll_replay_headroom_ratio": (
        "The highest factor at which the demand was driven and held.",
        _column("replay_headroom"),
    ),
    "plimsoll_settled_error_ratio": (
        "Error of a verdict against what happened later.",
        _column("settled_error"),
    ),
    "plimsoll_small_ios_per_second": (
        "Most small I/Os per second of a calibration.",
        _column("max_small_iops"),
    ),
    "plimsoll_large_bytes_per_second": (
        "Most bytes per second of a calibration's large I/Os.",
        _one(lambda run: _megabytes(values_of(run, ("max_large_mb_per_s",))["max_large_mb_per_s"])),
    ),
    "plimsoll_operations_per_second": (
        "Operations per second of a database that was driven.",
        _column("operations_per_s"),
    ),
    "plimsoll_work_seconds": (
        "How long a backup or a migration takes beside the demand.",
        _column("work_beside_s"),
    ),
    "plimsoll_work_fits": (
        "1 where that fits into its window, 0 where not.",
        _one(lambda run: run.work_window and run.work_window.fits),
    ),
}
"""What is told, by name: what it means, and where a run has it."""
