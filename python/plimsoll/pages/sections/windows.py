"""A single measurement while it ran: whether it was steady, and what measuring it cost."""

from __future__ import annotations

from plimsoll import charts
from plimsoll.base.units import format_rate, format_seconds, format_us
from plimsoll.charts import Subject
from plimsoll.facts import Cell
from plimsoll.pages._say import number, or_unknown
from plimsoll.pages._section import Section
from plimsoll.results import Block, Figure, Pairs


def applies(subject: Subject) -> bool:
    """Whether the run is a single measurement."""
    return subject.run.cell is not None


def blocks(subject: Subject) -> list[Block]:
    """The windows, then the measurement and our own part in it."""
    cell = subject.run.cell
    assert cell is not None
    found: list[Block] = (
        [Figure("windows-over-time")] if charts.load("windows-over-time").applies(subject) else []
    )
    return [*found, Pairs("Measurement", _measurement(cell)), Pairs("Our own part", _overhead(cell))]


def _measurement(cell: Cell) -> tuple[tuple[str, str], ...]:
    rows = [
        ("workload", cell.workload.name),
        ("I/Os", f"{cell.ios:,}"),
        ("failed I/Os", f"{cell.errors:,}"),
        ("measured", f"{format_seconds(cell.runtime_s)} after {format_seconds(cell.warm_up_s)} of warm-up"),
    ]
    if cell.arrivals.kind != "closed":
        due = "unknown" if cell.offered_ios is None else f"{cell.offered_ios:,}"
        backlog = "unknown" if cell.backlog_ios_max is None else f"{cell.backlog_ios_max:,} I/Os"
        rows += [
            ("asked rate", f"{format_rate(cell.arrivals.rate_per_s)} I/Os per second, {cell.arrivals.kind}")
        ]
        rows += [("I/Os due", due), ("longest backlog", backlog)]
    if cell.ended_early:
        rows.append(("ended early", cell.ended_early.replace("_", " ")))
    return tuple(rows)


def _overhead(cell: Cell) -> tuple[tuple[str, str], ...]:
    micro = "" if cell.cpu_us_per_io is None else " µs"
    rows = [
        ("CPU per I/O", number(cell.cpu_us_per_io, 2, micro)),
        ("CPU, user", format_seconds(cell.cpu_s.user)),
        ("CPU, system", format_seconds(cell.cpu_s.system)),
        (
            "context switches",
            or_unknown(None if cell.context_switches is None else f"{cell.context_switches:,}"),
        ),
    ]
    if cell.arrivals.kind != "closed":
        rows.append(("latest start of ours", format_us(cell.lateness_us_max)))
    return tuple(rows)


SECTION = Section("While it ran", "The course of a single measurement and its own cost.", 50, applies, blocks)
