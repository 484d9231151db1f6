"""Measurements of storage: one cell, the line, the matrix, clients beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plimsoll.api._asking import asks
from plimsoll.api._results import Added, Calibrated, CalibratedIo, Found, Measured, Together, Visited
from plimsoll.api._surroundings import Listener, Path, as_bytes, as_names, as_seconds, surroundings
from plimsoll.base.limits import CALIBRATE_POINT_S
from plimsoll.context import Cancel, Context
from plimsoll.requests.io import IoRequest
from plimsoll.requests.line import LineRequest
from plimsoll.requests.shapes import ShapesRequest


@asks(IoRequest)
def measure(ctx: Context, asked: IoRequest) -> Measured:
    """One workload, as `plimsoll io`. With a `rate` (per second) latency counts from when each I/O was due."""
    from plimsoll.flows.io import measure_io
    from plimsoll.flows.io_fill import measure_fill

    return Measured(measure_io(ctx, asked) if asked.fill is None else measure_fill(ctx, asked))


@asks(LineRequest)
def line(ctx: Context, asked: LineRequest) -> Found:
    """The highest rate at which the objective `slo` still holds, as `plimsoll line`."""
    from plimsoll.flows.line import measure_line

    return Found(measure_line(ctx, asked))


def calibrate(
    targets: Path | Sequence[Path],
    *,
    shape: str | None = None,
    matrix: str | None = None,
    disks: int | None = None,
    small: int | str = "8k",
    large: int | str = "1m",
    write_share: float = 0.0,
    duration: float | str = CALIBRATE_POINT_S,
    store: str | None = None,
    listen: Listener | None = None,
    cancel: Cancel | None = None,
    **more: Any,
) -> Calibrated:
    """The matrix of small and large loads, as `plimsoll calibrate`: adaptive, or a grid where `shape` or `matrix` asks for one.

    `more` are further fields of plimsoll.flows.calibrate.CalibrateRequest.
    """
    from plimsoll.flows.calibrate import CalibrateRequest
    from plimsoll.flows.calibrate import calibrate as measure_matrix

    asked = CalibrateRequest(
        targets=as_names(targets),
        shape=shape or "simple",
        matrix=matrix or (None if shape else "adaptive"),
        disks=disks,
        small_bytes=as_bytes(small),
        large_bytes=as_bytes(large),
        write_share=write_share,
        duration_s=as_seconds(duration),
        **more,
    )
    with surroundings("calibrate", store, listen, cancel) as ctx:
        return Calibrated(measure_matrix(ctx, asked))


def calibrate_io(
    targets: Path | Sequence[Path],
    *,
    disks: int | None = None,
    max_latency: float | str = "20ms",
    repeats: int = 5,
    duration: float | str = CALIBRATE_POINT_S,
    store: str | None = None,
    listen: Listener | None = None,
    cancel: Cancel | None = None,
    **more: Any,
) -> CalibratedIo:
    """What Oracle's CALIBRATE_IO answers, `repeats` times; `more` are fields of plimsoll.flows.calibrate.CalibrateRequest."""
    from plimsoll.flows.calibrate import CalibrateRequest
    from plimsoll.flows.calibrate_io import CalibrateIoRequest, measure_calibrate_io

    of = CalibrateRequest(targets=as_names(targets), disks=disks, duration_s=as_seconds(duration), **more)
    asked = CalibrateIoRequest(of, max_latency_us=as_seconds(max_latency) * 1e6, repeats=repeats)
    with surroundings("calibrate_io", store, listen, cancel) as ctx:
        return CalibratedIo(measure_calibrate_io(ctx, asked))


def working_sets(
    targets: Path | Sequence[Path],
    sizes: Sequence[int | str] = (),
    *,
    depth: int = 8,
    repeats: int = 3,
    duration: float | str = CALIBRATE_POINT_S,
    store: str | None = None,
    listen: Listener | None = None,
    cancel: Cancel | None = None,
    **more: Any,
) -> Visited:
    """Rates over bytes visited, as `plimsoll calibrate --working-sets`; without `sizes` up to the whole target.

    `more` are fields of plimsoll.flows.calibrate.CalibrateRequest.
    """
    from plimsoll.flows.calibrate import CalibrateRequest
    from plimsoll.flows.calibrate_working_sets import WorkingSetsRequest, measure_working_sets

    of = CalibrateRequest(
        targets=as_names(targets), small_depth=depth, duration_s=as_seconds(duration), **more
    )
    asked = WorkingSetsRequest(of, tuple(map(as_bytes, sizes)), repeats)
    with surroundings("working_sets", store, listen, cancel) as ctx:
        return Visited(measure_working_sets(ctx, asked))


def ladder(
    targets: Sequence[Path],
    *,
    small_depth: int = 16,
    large_depth: int = 4,
    repeats: int = 3,
    duration: float | str = CALIBRATE_POINT_S,
    links: str | None = None,
    store: str | None = None,
    listen: Listener | None = None,
    cancel: Cancel | None = None,
    **more: Any,
) -> Added:
    """Targets added one by one, as `plimsoll calibrate --ladder`; `more` are further fields of CalibrateRequest."""
    from plimsoll.flows.calibrate import CalibrateRequest
    from plimsoll.flows.calibrate_ladder import LadderRequest, measure_ladder

    of = CalibrateRequest(
        targets=as_names(targets),
        small_depth=small_depth,
        large_depth=large_depth,
        duration_s=as_seconds(duration),
        links=links,
        **more,
    )
    with surroundings("ladder", store, listen, cancel) as ctx:
        return Added(measure_ladder(ctx, LadderRequest(of, repeats)))


@asks(ShapesRequest)
def shapes(ctx: Context, asked: ShapesRequest) -> Together:
    """What database clients do to each other, as `plimsoll shapes`; `rate` may be a dictionary of rates per second by shape."""
    from plimsoll.flows.shapes import measure_shapes

    return Together(measure_shapes(ctx, asked))
