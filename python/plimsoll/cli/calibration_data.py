"""A calibration as `--json` gives it: flat figures with their units, a cell for each point, and where the extremes were."""

from __future__ import annotations

from typing import Any

from plimsoll.facts import Calibration, Cell, Extreme, LatencyUs, Point, Run
from plimsoll.native.latency import latency

_AS_THEY_ARE = {
    "shape",
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


def calibration_data(run: Run) -> dict[str, Any]:
    """The data of the document of a run with a calibration."""
    found = run.calibration
    assert found is not None, "the caller has looked"
    targets = run.targets or ((run.target,) if run.target else ())
    return {
        "run": run.id,
        "interrupted": run.interrupted,
        "cells": [_cell(point) for point in found.points],
        **_extremes(found),
        **found.model_dump(mode="json", include=_AS_THEY_ARE),
        "links": run.links and run.links.model_dump(mode="json"),
        "targets": [target.model_dump(mode="json") for target in targets],
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
    parts = [io.latency_us.hdr for io in cell.classes if io.name.startswith(size) and io.latency_us.hdr]
    return latency(parts) if parts else None


def _dumped(spread: LatencyUs | None) -> dict[str, Any] | None:
    return spread and spread.model_dump(mode="json")
