"""The trace: a line on each point, in words of our own, for whoever wants to know what was done and when."""

from __future__ import annotations

from plimsoll.facts import Calibration, Cell, ClassResult, LatencyUs, Point


def trace_txt(found: Calibration) -> str:
    """One line for each point, in the order in which they were measured."""
    return "".join(f"{trace_line(point)}\n" for point in found.points)


def trace_line(point: Point) -> str:
    """The line of one point."""
    head = f"small={point.small_depth} large={point.large_depth}"
    return head if point.cell is None else "; ".join((f"{head}: {_when(point.cell)}", *_figures(point.cell)))


def _when(cell: Cell) -> str:
    ended = f", ended early ({cell.ended_early})" if cell.ended_early else ""
    return (
        f"from {cell.started_at.isoformat(timespec='milliseconds')} for {cell.runtime_s:.3f} s after {cell.warm_up_s:.3f} s"
        f" of warm-up, engine {cell.engine}, {'direct' if cell.direct else 'through the page cache'}{ended}"
    )


def _figures(cell: Cell) -> list[str]:
    return [*map(_class, cell.classes), f"{cell.errors} I/Os failed", *_failed_checks(cell)]


def _class(io: ClassResult) -> str:
    return (
        f"{io.name} of {io.block_bytes} bytes: {io.ios} I/Os, {io.iops:.1f} per s, {io.mb_per_s:.3f} * 10^6 bytes per s,"
        f" latency {_latency(io.latency_us)}"
    )


def _latency(of: LatencyUs) -> str:
    parts = {"mean": of.mean, "min": of.min, "p50": of.p50, "p99": of.p99, "max": of.max}
    return " ".join(f"{name} {'unknown' if us is None else f'{us:.1f} us'}" for name, us in parts.items())


def _failed_checks(cell: Cell) -> list[str]:
    return [f"check {check.name} failed: {check.reason}" for check in cell.checks if check.passed is False]
