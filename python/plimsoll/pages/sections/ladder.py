"""Targets added one by one: what they give together, beside what each gives alone."""

from __future__ import annotations

from plimsoll import charts
from plimsoll.base.units import format_bytes, format_rate, format_seconds
from plimsoll.charts import Subject, Table
from plimsoll.facts import LadderCurve
from plimsoll.pages._blocks import Block, Figure, Grid, Pairs, Section, Words
from plimsoll.pages._say import percent

_UNITS = {"small": "I/Os per s", "large": "MB/s"}


def applies(subject: Subject) -> bool:
    """Whether targets were added one by one."""
    return subject.run.ladder is not None


def blocks(subject: Subject) -> list[Block]:
    """The curves, their steps, and the links."""
    found = subject.run.ladder
    assert found is not None, "applies() has looked"
    shown: list[Block] = []
    if charts.load("target-ladder").applies(subject):
        shown.append(Figure("target-ladder"))
    for curve in found.curves:
        caption = f"{curve.size.capitalize()} I/Os of {format_bytes(curve.block_bytes)}, {curve.depth} outstanding on each target"
        shown.append(Grid(caption, _table(curve)))
    if subject.run.links is not None:
        shown.append(Words(subject.run.links.reason))
    asked = (
        ("repeats", str(found.repeats)),
        ("each measurement", format_seconds(found.duration_s)),
        ("writes", f"{found.write_share:.0%}"),
    )
    return [*shown, Pairs("Asked", asked)]


def _table(curve: LadderCurve) -> Table:
    unit = _UNITS[curve.size]
    columns = (
        "targets",
        "the last of them",
        f"alone, {unit}",
        f"together, {unit}",
        "of the sum",
        "95 % interval",
    )
    rows = tuple(
        (
            str(step.targets), alone.name, _rate(curve, alone.rate), _rate(curve, step.rate), percent(step.linearity),
            "" if step.linearity_ci95 is None else " to ".join(map(percent, step.linearity_ci95)),
        )
        for step, alone in zip(curve.steps, curve.alone, strict=True)
    )  # fmt: skip
    return Table(columns, rows, (True, False, True, True, True, True))


def _rate(curve: LadderCurve, rate: float) -> str:
    return format_rate(rate) if curve.size == "small" else f"{rate:,.1f}"


SECTION = Section("More targets", "What targets give together, and alone.", 24, applies, blocks)
