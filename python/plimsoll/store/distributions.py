"""A run's distributions over time, for a log of histograms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from plimsoll.dialects.hlog import Interval
from plimsoll.facts import Cell, Fact, LatencyUs, OperationResult, Run


def distributions_of(run: Run) -> list[tuple[Interval, float | None]]:
    """Of every measured point: all its I/Os without a tag, and each class by its name; or each kind of operation.

    Each with its highest value in nanoseconds. Empty where none was kept.
    """
    return [*_of_cells(run), *_of_operations(run)]


def _of_cells(run: Run) -> Iterator[tuple[Interval, float | None]]:
    for cell in _cells(run.results):
        beside = f"{cell.workload.name}." if len(run.cells) > 1 else ""
        begin_s = cell.started_at.timestamp() + cell.warm_up_s
        yield from _interval(beside.rstrip("."), begin_s, cell.runtime_s, cell.latency_us)
        for part in cell.classes if len(cell.classes) > 1 else ():
            yield from _interval(f"{beside}{part.name}", begin_s, cell.runtime_s, part.latency_us)


def _cells(found: Any) -> Iterator[Cell]:
    """Every measured point, wherever it stands in the results: trials, points of a matrix, levels."""
    if isinstance(found, Cell):
        yield found
    elif isinstance(found, Fact):
        for name in type(found).model_fields:
            yield from _cells(getattr(found, name))
    elif isinstance(found, (tuple, list, dict)):
        for one in found.values() if isinstance(found, dict) else found:
            yield from _cells(one)


def _of_operations(run: Run) -> Iterator[tuple[Interval, float | None]]:
    begin_s, duration_s, operations = _timed(run)
    for one in operations:
        yield from _interval(one.name, begin_s, duration_s, one.latency_us)


def _timed(run: Run) -> tuple[float, float, tuple[OperationResult, ...]]:
    if run.operation_log is not None:
        return run.started_at.timestamp(), run.operation_log.duration_s, run.operation_log.operations
    if run.proof is not None and run.proof.window is not None:
        return run.proof.window.start.timestamp(), run.proof.window.duration_s, run.proof.operations
    return 0.0, 0.0, ()


def _interval(
    tag: str, begin_s: float, duration_s: float, of: LatencyUs
) -> Iterator[tuple[Interval, float | None]]:
    if of.hdr and of.count:
        yield Interval(tag, begin_s, duration_s, of.hdr), None if of.max is None else of.max * 1e3
