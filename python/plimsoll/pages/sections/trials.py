"""The appendix: every trial of a line search in the order in which it was made."""

from __future__ import annotations

from plimsoll.base.units import format_rate, format_share, format_us
from plimsoll.charts import Subject, Table
from plimsoll.facts import Trial
from plimsoll.pages._say import name
from plimsoll.pages._section import Section
from plimsoll.results import Block, Grid

_OUTCOMES = {True: "held", False: "missed", None: "void"}


def applies(subject: Subject) -> bool:
    """Whether there are trials."""
    return subject.run.line is not None and bool(subject.run.line.trials)


def blocks(subject: Subject) -> list[Block]:
    """One table."""
    line = subject.run.line
    assert line is not None
    figures = ("rate, I/Os per s", "achieved", "p50", "p99", "p99.9", "of the limit")
    columns = ("trial", "purpose", *figures, "outcome", "worst class, or why void")
    rows = tuple(_row(number, trial) for number, trial in enumerate(line.trials, start=1))
    numeric = (True, False, True, True, True, True, True, True, False, False)
    return [
        Grid(
            f"Objective {line.slo.text}; latency counts from when each I/O was due",
            Table(columns, rows, numeric),
        )
    ]


def _row(number: int, trial: Trial) -> tuple[str, ...]:
    latency = trial.latency_us
    ratio = "unknown" if not latency.count else format_share(trial.worst_ratio)
    why = trial.void_reason or (name(trial.limiting_class) if trial.limiting_class else "")
    return (
        str(number), trial.phase, format_rate(trial.rate), format_rate(trial.achieved), format_us(latency.p50),
        format_us(latency.p99), format_us(latency.p999), ratio, _OUTCOMES[trial.held], why,
    )  # fmt: skip


SECTION = Section("Appendix: the trials", "Every trial of the line search.", 80, applies, blocks)
