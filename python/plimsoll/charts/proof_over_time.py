"""A proof while it ran: operations and their latency above what the machine and the device did in the same seconds.

An average hides the second in which everything stood still. Here it shows, and below it stands why: CPUs that were
busy, a device whose queue grew, tasks that waited for I/O. Instants count from the opening of the window.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from plimsoll.base.sentences import those_left
from plimsoll.base.units import format_rate, format_seconds, format_share, format_us
from plimsoll.charts._chart import Chart, Subject, Table, altair_module
from plimsoll.charts._lanes import Curve, Lane, Step, drawn, group_size, thinned
from plimsoll.charts._proof import COMMIT, lane_device, main_operation
from plimsoll.charts._theme import finish
from plimsoll.facts import DeviceSecond, HostSecond, OperationSlice, Proof

STEPS_MIN = 3
ROWS_MAX = 60
"""Rows of the table; of a longer proof it holds the slowest seconds."""
LATENCIES_MAX = 3
_ROLES: tuple[str, ...] = ("middle", "demand", "held", "redo_write", "missed", "low", "high", "line")
_STATES = (("user", "middle"), ("system", "demand"), ("iowait", "redo_write"), ("steal", "missed"))
_STATE_NAMES = {"iowait": "I/O wait", "steal": "stolen"}

_Second = TypeVar("_Second", HostSecond, DeviceSecond)


def applies(subject: Subject) -> bool:
    """Whether there are slices enough to see a course in."""
    proof = subject.run.proof
    return proof is not None and len(_starts(proof)) >= STEPS_MIN


def draw(subject: Subject, width_px: int) -> Any:
    """The lanes, `width_px` pixels wide, all above one axis of time."""
    alt, proof = altair_module(), subject.run.proof
    assert proof is not None, "applies() has looked"
    group = group_size(len(_starts(proof)), width_px)
    roles = dict(zip(_names(proof), _ROLES * 4, strict=False))
    device = _of_device(proof)
    lanes = [
        _operations(proof, roles, group), _latency(proof, roles, group), _processor(proof.host_seconds, group),
        *_device(device, group), _pressure(proof.host_seconds, group),
    ]  # fmt: skip
    return finish(drawn(alt, [lane for lane in lanes if lane.curves], _span_s(proof), width_px))


def words(subject: Subject) -> str:
    """What the chart shows, with the figures."""
    proof = subject.run.proof
    if proof is None or not applies(subject):
        return "No slices were kept."
    rates = [_rate(pieces) for pieces in _by_second(proof)]
    span, least, most = (
        format_seconds(proof.slices[0].duration_s),
        format_rate(min(rates)),
        format_rate(max(rates)),
    )
    parts = [
        f"{len(rates)} slices of {span}: between {least} and {most} operations per second{_whose(proof)}."
    ]
    parts += _latency_words(proof)
    if proof.host_seconds:
        busy = _mean(1 - second.idle_share - second.iowait_share for second in proof.host_seconds)
        use = proof.cpu_use
        others = f", other programs for {format_share(use.others_share)}," if use else ""
        waiting = _mean(second.iowait_share for second in proof.host_seconds)
        parts.append(
            f"The CPUs worked for {format_share(busy)} of the time{others} and waited for I/O for {format_share(waiting)}."
        )
    else:
        parts.append("Of the database's machine nothing is known.")
    return " ".join([*parts, *_device_words(_of_device(proof))])


def table(subject: Subject) -> Table:
    """Every second, or the slowest ones of a long proof."""
    proof = subject.run.proof
    names = _names(proof) if proof is not None else []
    columns = (
        "from", *(f"{_title(name)}, per s" for name in names), *(f"{_title(name)} p99" for name in names), "CPUs busy",
        "device reads per s", "writes per s", "wait per read", "in its queue",
    )  # fmt: skip
    rows = _rows(proof, names) if proof is not None else ()
    return Table(columns, tuple(rows), (True,) * len(columns))


def _rows(proof: Proof, names: Sequence[str]) -> list[tuple[str, ...]]:
    seconds = _by_second(proof)
    if len(seconds) > ROWS_MAX:
        slowest = sorted(seconds, key=lambda pieces: -max(piece.latency_us_p99 or 0.0 for piece in pieces))
        seconds = sorted(slowest[:ROWS_MAX], key=lambda pieces: pieces[0].start_s)
    return [_row(pieces, names, proof) for pieces in seconds]


def _row(pieces: Sequence[OperationSlice], names: Sequence[str], proof: Proof) -> tuple[str, ...]:
    by_name = {piece.operation: piece for piece in pieces}
    start_s = pieces[0].start_s
    rates = (
        format_rate(by_name[name].operations / by_name[name].duration_s) if name in by_name else "0"
        for name in names
    )
    tails = (format_us(by_name[name].latency_us_p99) if name in by_name else "unknown" for name in names)
    middle_s = start_s + pieces[0].duration_s / 2
    host, device = _at(proof.host_seconds, middle_s), _at(_of_device(proof), middle_s)
    busy = "unknown" if host is None else format_share(1 - host.idle_share - host.iowait_share)
    figures = ("unknown",) * 4
    if device is not None:
        figures = (
            format_rate(device.reads_per_s), format_rate(device.writes_per_s), format_us(device.read_await_us),
            f"{device.queue_mean:.1f}",
        )  # fmt: skip
    return (f"{start_s:.0f} s", *rates, *tails, busy, *figures)


def _at(seconds: Sequence[_Second], at_s: float) -> _Second | None:
    """The second that covers that moment."""
    covers = (second for second in seconds if second.start_s <= at_s < second.start_s + second.duration_s)
    return next(covers, None)


def _latency_words(proof: Proof) -> list[str]:
    name = main_operation(proof)
    tails = [
        piece.latency_us_p99
        for piece in proof.slices
        if piece.operation == name and piece.latency_us_p99 is not None
    ]
    if name is None or not tails:
        return []
    return [f"The p99 of {_title(name)} lay between {format_us(min(tails))} and {format_us(max(tails))}."]


def _device_words(seconds: Sequence[DeviceSecond]) -> list[str]:
    if not seconds:
        return []
    reads, writes = (
        format_rate(_mean(getattr(second, field) for second in seconds))
        for field in ("reads_per_s", "writes_per_s")
    )
    queue = _mean(second.queue_mean for second in seconds)
    return [
        f"The device {seconds[0].device} did {reads} reads and {writes} writes per second, with {queue:.1f} in its queue."
    ]


def _mean(values: Iterable[float]) -> float:
    return statistics.fmean(values)


def _title(name: str) -> str:
    return name.replace("_", " ")


def _names(proof: Proof) -> list[str]:
    """The operations in their order, as far as any slice has them."""
    return list(dict.fromkeys(piece.operation for piece in proof.slices))


def _starts(proof: Proof) -> list[float]:
    return sorted({round(piece.start_s, 3) for piece in proof.slices})


def _by_second(proof: Proof) -> list[list[OperationSlice]]:
    """The slices that begin together."""
    found: dict[float, list[OperationSlice]] = {start: [] for start in _starts(proof)}
    for piece in proof.slices:
        found[round(piece.start_s, 3)].append(piece)
    return list(found.values())


def _rate(pieces: Sequence[OperationSlice]) -> float:
    """Operations per second of all kinds; a commit is part of one."""
    return sum(piece.operations / piece.duration_s for piece in pieces if piece.operation != COMMIT)


def _span_s(proof: Proof) -> float:
    return max(piece.start_s + piece.duration_s for piece in proof.slices)


def _of_device(proof: Proof) -> list[DeviceSecond]:
    name = lane_device(proof)
    return [second for second in proof.device_seconds if second.device == name]


def _operations(proof: Proof, roles: dict[str, str], group: int) -> Lane:
    """Rates on each other: their sum is that of the proof. A second in which other operations ended is 0, not unknown."""
    names = [name for name in roles if name != COMMIT]
    lengths = {round(piece.start_s, 3): piece.duration_s for piece in proof.slices}
    rates = {
        (piece.operation, round(piece.start_s, 3)): piece.operations / piece.duration_s
        for piece in proof.slices
    }
    curves = tuple(
        Curve(
            _title(name),
            roles[name],
            thinned(
                [
                    Step(start, start + length, rates.get((name, start), 0.0))
                    for start, length in sorted(lengths.items())
                ],
                group,
            ),
        )
        for name in names
    )
    return Lane(f"operations per second{_whose(proof)}", "rate", 130, curves, stacked=True)


def _latency(proof: Proof, roles: dict[str, str], group: int) -> Lane:
    """p99 and p50 of the operations that were done most often, and of the commit."""
    often = sorted(proof.operations, key=lambda found: -found.operations)
    names = [found.name for found in often if found.name in roles and found.name != COMMIT]
    names = [*names[: LATENCIES_MAX - (COMMIT in roles)], *([COMMIT] if COMMIT in roles else [])]
    curves: list[Curve] = []
    for name in names:
        pieces = [piece for piece in proof.slices if piece.operation == name]
        tail = _steps(pieces, "latency_us_p99", group, max)
        middle = _steps(pieces, "latency_us_p50", group, statistics.median)
        curves += [
            Curve(_title(name), roles[name], tail), Curve(_title(name), roles[name], middle, faint=True),
        ]  # fmt: skip
    return Lane(f"latency{_whose(proof)}: p99, and p50 dashed", "latency", 130, tuple(curves))


def _whose(proof: Proof) -> str:
    """Where hosts were lost: the slices are of the others alone."""
    if proof.hosts is None or len(proof.hosts.left) == len(proof.hosts.hosts):
        return ""
    return f" of {those_left(proof.hosts.left)}" if proof.hosts.left else ""


def _steps(
    seconds: Sequence[Any],
    field: str,
    group: int,
    together: Callable[[Sequence[float]], float] = statistics.fmean,
    scale: float = 1.0,
) -> list[Step]:
    ordered = sorted(seconds, key=lambda second: second.start_s)
    steps = [
        Step(
            max(0.0, second.start_s),
            second.start_s + second.duration_s,
            None if getattr(second, field) is None else scale * getattr(second, field),
        )
        for second in ordered
    ]
    return thinned(steps, group, together)


def _processor(seconds: Sequence[HostSecond], group: int) -> Lane:
    """What the CPUs did; what is left to 100 % they were idle."""
    curves = tuple(
        Curve(_STATE_NAMES.get(state, state), role, _steps(seconds, f"{state}_share", group, scale=100))
        for state, role in _STATES
        if any(getattr(second, f"{state}_share") >= 0.0005 for second in seconds)
    )
    return Lane("CPUs, share of their time", "percent", 90, curves, stacked=True, top=100.0)


def _device(seconds: Sequence[DeviceSecond], group: int) -> list[Lane]:
    if not seconds:
        return []
    rates = (
        Curve("reads", "middle", _steps(seconds, "reads_per_s", group)),
        Curve("writes", "demand", _steps(seconds, "writes_per_s", group)),
    )
    waits = (
        Curve("reads", "middle", _steps(seconds, "read_await_us", group, max)),
        Curve("writes", "demand", _steps(seconds, "write_await_us", group, max)),
    )
    queue = (Curve("queue", "held", _steps(seconds, "queue_mean", group)),)
    device = seconds[0].device
    return [
        Lane(f"device {device}, I/Os per second", "rate", 80, rates),
        Lane(f"device {device}, wait per I/O", "latency", 80, waits),
        Lane(f"device {device}, I/Os in flight", "rate", 56, queue),
    ]


def _pressure(seconds: Sequence[HostSecond], group: int) -> Lane:
    curves = tuple(
        Curve(name, role, _steps(seconds, f"{field}_pressure_share", group, scale=100))
        for name, field, role in (
            ("I/O", "io", "redo_write"),
            ("CPU", "cpu", "middle"),
            ("memory", "memory", "missed"),
        )
    )
    known = [step.value for curve in curves for step in curve.steps if step.value is not None]
    return Lane(
        "some task waited for",
        "percent",
        66,
        curves,
        top=min(100.0, max(10.0, 1.15 * max(known, default=0.0))),
    )


CHART = Chart(
    title="The proof over time",
    help="Operations and their latency second by second, above what CPUs and device did in the same seconds.",
    applies=applies, draw=draw, words=words, table=table,
)  # fmt: skip
