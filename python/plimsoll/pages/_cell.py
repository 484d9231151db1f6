"""The answer of one measured point: the rate that was held, and how late its I/Os were."""

from __future__ import annotations

from plimsoll.base.sentences import capital
from plimsoll.base.units import format_mb, format_rate, format_seconds, format_us
from plimsoll.facts import Cell, LatencyUs
from plimsoll.pages._say import counted, number
from plimsoll.results import Answer, held_part_words, held_rate


def answer(cell: Cell, remark: str | None) -> Answer:
    """The headline says the rate; the reason, under which load and with which latency."""
    return Answer("plain", held_rate(cell), _reason(cell), remark)


def figures(cell: Cell) -> list[tuple[str, str, str]]:
    """Rate, median, p99 and what an I/O cost."""
    latency = cell.told_latency_us or LatencyUs(count=0)
    return [
        _rate(cell),
        ("Median", format_us(latency.p50), f"mean {format_us(latency.mean)}"),
        ("p99", format_us(latency.p99), f"p99.9 {format_us(latency.p999)}"),
        (
            "CPU",
            number(cell.cpu_us_per_io, 2, " µs" if cell.cpu_us_per_io is not None else ""),
            "per I/O, whole process",
        ),
    ]


def _reason(cell: Cell) -> str:
    how = "in a closed loop"
    if cell.arrivals.kind != "closed":
        how = f"with arrivals at {format_rate(cell.arrivals.rate_per_s)}/s"
    failed = f" {counted(cell.errors, 'I/O')} failed." if cell.errors else ""
    return (
        f"The workload {cell.workload.name} ran for {format_seconds(cell.runtime_s)} {how}, depth {cell.depth}"
        f"{_latency_words(cell)}.{failed}"
    )


def _latency_words(cell: Cell) -> str:
    part = held_part_words(cell)
    if (told := cell.told_latency_us) is None:
        return f". {capital(part)}"
    words = f": half of the I/Os took up to {format_us(told.p50)}, 99 of 100 up to {format_us(told.p99)}"
    return f"{words}; {part}" if part else words


def _rate(cell: Cell) -> tuple[str, str, str]:
    away = cell.lost_rate
    there = " while the server was there" if away else ""
    mean = f"; {format_rate(cell.iops)} over the whole time" if away or cell.change is not None else ""
    words = f"I/Os per second, {format_mb(cell.held_mb_per_s)} MB per second{there}{mean}"
    return ("Rate" if cell.change is None else "Rate held", format_rate(cell.held_iops), words)
