"""Measurements of storage: one cell, the line, the matrix, clients beside each other; and what they say of a demand."""

from __future__ import annotations

from plimsoll.api._asking import asks
from plimsoll.api._results import (
    Added,
    Calibrated,
    CalibratedIo,
    Found,
    Judged,
    Measured,
    Settled,
    Together,
    Visited,
)
from plimsoll.context import Context
from plimsoll.requests.assess import AssessRequest
from plimsoll.requests.calibrate import AUTO_SIZES, CalibrateRequest
from plimsoll.requests.io import IoRequest
from plimsoll.requests.line import LineRequest
from plimsoll.requests.settle import SettleRequest
from plimsoll.requests.shapes import ShapesRequest
from plimsoll.requests.shared import on_hosts


@asks(IoRequest)
def measure(ctx: Context, asked: IoRequest) -> Measured:
    """One workload, as `plimsoll io`. With a `rate` (per second) latency counts from when each I/O was due.

    Example:
        found = plimsoll.measure("sim:mean=100us", block="8k", rate="5k", runtime="5s")
        found.cell.iops, found.cell.latency_us.p99  # a second, microseconds
        found.frame("windows")  # how it went over time
    """
    from plimsoll.flows.hot_file import measure_hot_file
    from plimsoll.flows.io import measure_io
    from plimsoll.flows.io_fill import measure_fill
    from plimsoll.flows.io_hosts import measure_on_hosts

    if on_hosts(asked):
        return Measured((measure_hot_file if asked.hot_file else measure_on_hosts)(ctx, asked))
    return Measured(measure_io(ctx, asked) if asked.fill is None else measure_fill(ctx, asked))


@asks(LineRequest)
def line(ctx: Context, asked: LineRequest) -> Found:
    """The highest rate at which the objective `slo` still holds, as `plimsoll line`.

    Example:
        found = plimsoll.line("sim:mean=100us", slo="p99=1ms", trial="2s")
        found.line.line_iops, found.line.ci95  # I/Os per second
        found.frame()  # a row per trial
    """
    from plimsoll.flows.line import measure_line
    from plimsoll.flows.line_hosts import measure_line_on_hosts

    return Found((measure_line_on_hosts if on_hosts(asked) else measure_line)(ctx, asked))


@asks(CalibrateRequest)
def calibrate(ctx: Context, asked: CalibrateRequest) -> Calibrated:
    """The matrix of small and large loads, as `plimsoll calibrate`: adaptive, or a grid where `shape` or `matrix` asks for one.

    Example:
        found = plimsoll.calibrate("sim:mean=100us,servers=4", runtime="200ms")
        found.calibration.knee
        found.frame()  # a row per point
    """
    from plimsoll.flows.calibrate import calibrate as measure_matrix
    from plimsoll.flows.calibrate_hosts import calibrate_on_hosts

    return Calibrated(calibrate_on_hosts(ctx, asked) if on_hosts(asked) else measure_matrix(ctx, asked))


@asks(CalibrateRequest, like="calibrate-io")
def calibrate_io(ctx: Context, asked: CalibrateRequest) -> CalibratedIo:
    """What Oracle's CALIBRATE_IO answers, `repeats` times, as `plimsoll calibrate --like calibrate-io`.

    Example:
        found = plimsoll.calibrate_io("sim:mean=100us,servers=4", disks=1, runtime="100ms", repeats=2)
        found.answer.max_iops  # median and spread of the repeats
    """
    from plimsoll.flows.calibrate_io import measure_calibrate_io

    return CalibratedIo(measure_calibrate_io(ctx, asked))


@asks(CalibrateRequest, working_sets=AUTO_SIZES)
def working_sets(ctx: Context, asked: CalibrateRequest) -> Visited:
    """Rates over bytes visited, as `plimsoll calibrate --working-sets`.

    Example:
        found = plimsoll.working_sets("sim:mean=1ms", working_sets=["16m", "64m"], runtime="200ms")
        found.working_sets.caches
    """
    from plimsoll.flows.calibrate_working_sets import measure_working_sets

    return Visited(measure_working_sets(ctx, asked))


@asks(CalibrateRequest, ladder=True)
def ladder(ctx: Context, asked: CalibrateRequest) -> Added:
    """Targets added one by one, as `plimsoll calibrate --ladder`.

    Example:
        found = plimsoll.ladder(["sim:", "sim:"], runtime="200ms", repeats=2)
        found.frame("large")  # a row per number of targets
    """
    from plimsoll.flows.calibrate_ladder import measure_ladder

    return Added(measure_ladder(ctx, asked))


@asks(ShapesRequest)
def shapes(ctx: Context, asked: ShapesRequest) -> Together:
    """What database clients do to each other, as `plimsoll shapes`; `rate` may be a dictionary of rates per second by shape.

    Example:
        found = plimsoll.shapes("sim:mean=100us", only=["scans", "oltp-readers"], runtime="1s")
        found.interference.answers
    """
    from plimsoll.flows.shapes import measure_shapes

    return Together(measure_shapes(ctx, asked))


@asks(AssessRequest)
def assess(ctx: Context, asked: AssessRequest) -> Judged:
    """Whether storage carries a demand, as `plimsoll assess`.

    Example:
        found = plimsoll.assess(target="/mnt/new", demand="demand.json")
        found.verdict.carries, found.verdict.headroom
    """
    from plimsoll.flows.assess import assess as judge

    return Judged(judge(ctx, asked))


@asks(SettleRequest)
def settle(ctx: Context, asked: SettleRequest) -> Settled:
    """A verdict that `store` keeps, held against a later demand, as `plimsoll settle`.

    Example:
        found = plimsoll.settle("latest", demand="later.json", store="runs.sqlite")
        found.settlement.as_predicted, found.settlement.reason
    """
    from plimsoll.flows.settle import settle_prediction

    return Settled(settle_prediction(ctx, asked))
