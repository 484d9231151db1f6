"""The matrix of small and large loads: what storage gives at each, and its knee."""

from __future__ import annotations

from typing import Any

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import counted, format_bytes, format_mb, format_rate, format_us
from plimsoll.facts import Calibration, Cell, Extreme, LatencyUs, Point, Run, Spread
from plimsoll.facts.comparison import Direction
from plimsoll.results._compared import Compared, Quantity, Unit
from plimsoll.results._kind import ResultKind, RunColumn
from plimsoll.results._links import calibrated_status, links_doubts, targets_data

_AS_THEY_ARE = {
    "shape",
    "hosts",
    "matrix",
    "disks",
    "small_bytes",
    "large_bytes",
    "large_pattern",
    "streams_depth",
    "write_share",
    "duration_s",
    "measured_s",
    "small_depths",
    "large_depths",
    "knee",
    "expected",
    "io_calibration",
}
_EXTREMES = ("max_small_iops", "max_large_mb_per_s", "min_small_latency_us")


def _answer(found: Calibration) -> str:
    from plimsoll.supply.failed_checks import with_failed

    parts = []
    if found.max_small_iops is not None:
        parts.append(f"{format_rate(found.max_small_iops.value)} IOPS")
    if found.max_large_mb_per_s is not None:
        parts.append(f"{format_mb(found.max_large_mb_per_s.value)} MB/s")
    if found.min_small_latency_us is not None:
        parts.append(f"least latency {format_us(found.min_small_latency_us.value)}")
    ended = ", ended early" if found.hosts and found.notes else ""
    where = f" from {counted(len(found.hosts), 'host')}" if found.hosts else ""
    return with_failed((", ".join(parts) or "no point was measured") + where + ended, _cells(found))


def _cells(found: Calibration) -> list[Cell]:
    return [point.cell for point in found.points if point.cell]


def _status(run: Run) -> ExitStatus:
    """4 when I/Os failed, 1 when a check says that figures are not valid or no load kept the latency bound."""
    found: Calibration = run.results["calibration"]
    missed = found.io_calibration is not None and found.io_calibration.max_iops is None
    return calibrated_status(run, _cells(found), missed)


def _data(run: Run, kind: str) -> dict[str, Any]:
    """Flat figures with their units, a cell for each point, and where the extremes were."""
    found: Calibration = run.results[kind]
    return {
        "run": run.id,
        "interrupted": run.interrupted,
        "cells": [_cell(point) for point in found.points],
        **_extremes(found),
        **found.model_dump(mode="json", include=_AS_THEY_ARE),
        "links": run.links and run.links.model_dump(mode="json"),
        "targets": targets_data(run),
    }


def _extremes(found: Calibration) -> dict[str, Any]:
    """Each value under its own name, and its place beside it."""
    data: dict[str, Any] = {}
    for name in _EXTREMES:
        best: Extreme | None = getattr(found, name)
        data[name] = best and best.value
        data[f"{name}_at"] = best and {"small_depth": best.small_depth, "large_depth": best.large_depth}
        data[f"{name}_near"] = (
            {
                "value": best.near_value,
                "small_depth": best.near_small_depth,
                "large_depth": best.near_large_depth,
            }
            if best and best.near_value is not None
            else None
        )
    return data


def _cell(point: Point) -> dict[str, Any]:
    return {
        "small_depth": point.small_depth,
        "large_depth": point.large_depth,
        "small_iops": point.small_iops,
        "large_mb_per_s": point.large_mb_per_s,
        **(_details(point.cell) if point.cell else {}),
    }


def _details(cell: Cell) -> dict[str, Any]:
    return {
        "small_latency_us": _dumped(latency_of(cell, "small")),
        "large_latency_us": _dumped(latency_of(cell, "large")),
        "cpu_us_per_io": cell.cpu_us_per_io,
        "ios": cell.ios,
        "errors": cell.errors,
        "runtime_s": cell.runtime_s,
        "ended_early": cell.ended_early,
        "checks": [check.model_dump(mode="json") for check in cell.checks],
    }


def latency_of(cell: Cell, size: str) -> LatencyUs | None:
    """The latency of all small or all large I/Os of a point, reads and writes together; None where there are none."""
    from plimsoll.native.latency import latency

    parts = [io.latency_us.hdr for io in cell.told_classes if io.name.startswith(size) and io.latency_us.hdr]
    return latency(parts) if parts else None


def _dumped(spread: LatencyUs | None) -> dict[str, Any] | None:
    return spread and spread.model_dump(mode="json")


def _best(extreme: Extreme | None) -> float | None:
    return None if extreme is None else extreme.value


def _figures(run: Run) -> list[Quantity]:
    found: Calibration = run.results["calibration"]
    knee = found.knee
    return [
        Quantity("calibration.max_small_iops", "small I/Os per s", "per_s", _best(found.max_small_iops), "more"),
        Quantity("calibration.max_large_mb_per_s", "large MB/s", "mb_per_s", _best(found.max_large_mb_per_s), "more"),
        Quantity(
            "calibration.min_small_latency_us", "least latency", "us", _best(found.min_small_latency_us), "less"
        ),
        Quantity("calibration.knee.iops", "I/Os per s at the knee", "per_s", knee and knee.iops, "more"),
        Quantity("calibration.knee.small_depth", "depth at the knee", "count", knee and knee.small_depth, None),
        *_of_io_calibration(found),
    ]  # fmt: skip


_OF_IO_CALIBRATION: tuple[tuple[str, str, Unit, Direction], ...] = (
    ("max_iops", "MAX_IOPS", "per_s", "more"),
    ("actual_latency_us", "ACTUAL_LATENCY", "us", "less"),
    ("max_mb_per_s", "MAX_MBPS", "mb_per_s", "more"),
    ("max_process_mb_per_s", "MAX_PMBPS", "mb_per_s", "more"),
)


def _of_io_calibration(found: Calibration) -> list[Quantity]:
    """What CALIBRATE_IO answers, in its own words, with its repeats."""
    if found.io_calibration is None:
        return []
    made = []
    for field, title, unit, better in _OF_IO_CALIBRATION:
        spread: Spread | None = getattr(found.io_calibration, field)
        name, values = f"calibration.io_calibration.{field}", () if spread is None else spread.values
        made.append(Quantity(name, title, unit, spread and spread.median, better, repeats=values))
    return made


def _work(run: Run) -> dict[str, str]:
    found: Calibration = run.results["calibration"]
    bound = found.io_calibration and format_us(found.io_calibration.max_latency_us)
    return {
        "shape": found.shape,
        "matrix": found.matrix,
        "small": format_bytes(found.small_bytes),
        "large": f"{format_bytes(found.large_bytes)} {found.large_pattern}",
        "writes": f"{100 * found.write_share:g} %",
        "disks": str(found.disks),
        "latency bound": bound or "none",
    }


_COMPARED = Compared(
    figures=_figures, work=_work, cells=lambda run: _cells(run.results["calibration"]), doubts=links_doubts
)

RESULT = ResultKind(
    fact=Calibration,
    rows=(Point,),
    rank=50,
    answer=_answer,
    status=_status,
    data=_data,
    envelope="calibrate",
    columns=(
        RunColumn(
            "max_small_iops", "real", lambda run: run.calibration and _best(run.calibration.max_small_iops)
        ),
        RunColumn(
            "max_large_mb_per_s",
            "real",
            lambda run: run.calibration and _best(run.calibration.max_large_mb_per_s),
        ),
    ),
    compared=_COMPARED,
)
