"""The line of a storage as it lies beside a demand; shared by charts of demands over time."""

from __future__ import annotations

from plimsoll.base.units import format_rate
from plimsoll.charts._chart import Subject


def line_iops(subject: Subject) -> float | None:
    """The line as it lies beside a demand without its bursts: divided by the burst factor."""
    run = subject.run
    line = run.verdict.line_iops if run.verdict is not None else None
    if run.line is not None and run.line.line_iops is not None:
        line = run.line.line_iops
    return None if line is None else line / burst_factor(subject)


def burst_factor(subject: Subject) -> float:
    """That of the verdict; 1 where there is none."""
    verdict = subject.run.verdict
    return 1.0 if verdict is None or verdict.burst_factor is None else verdict.burst_factor


def line_text(subject: Subject, beside_iops: float) -> str:
    """The line; where it is divided, what by: `8,430 ÷ 3 = 2,810`."""
    factor = burst_factor(subject)
    if factor == 1.0:
        return format_rate(beside_iops)
    return f"{format_rate(beside_iops * factor)} ÷ {factor:g} = {format_rate(beside_iops)}"
