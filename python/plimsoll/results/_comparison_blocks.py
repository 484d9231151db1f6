"""A comparison as people see it: on a terminal and on a page."""

from __future__ import annotations

from plimsoll.charts import Table
from plimsoll.facts.comparison import ComparedFigure, Comparison, FigureChange, SideFigure
from plimsoll.results._blocks import Block, Grid, Points, Words
from plimsoll.results._compared import shown
from plimsoll.results._comparing import absent, interval_words, percent

_UNKNOWN = "unknown"


def comparison_blocks(found: Comparison) -> list[Block]:
    """Whose runs they are, the settings that differ, the figures of each side against the first, and what to mind."""
    doubts = [(f"{side.label}, not valid", doubt) for side in found.sides for doubt in side.doubts]
    blocks: list[Block] = [Points(tuple(_sides(found)))]
    if doubts:
        blocks.append(Points(tuple(doubts)))
    blocks.append(_settings(found))
    blocks += [_figures(found, at) for at in range(1, len(found.sides))]
    if found.remarks:
        blocks.append(Points(tuple(("note", remark) for remark in found.remarks)))
    return blocks


def _sides(found: Comparison) -> list[tuple[str, str]]:
    return [
        (
            side.label,
            f"{side.title}: {side.answer}, run {side.runs[0]}"
            if len(side.runs) == 1
            else f"{side.title}, {len(side.runs)} runs: {', '.join(side.runs)}",
        )
        for side in found.sides
    ]


def _settings(found: Comparison) -> Block:
    if not found.settings:
        return Words("No setting that is known differs.")
    labels = [side.label for side in found.sides]
    rows = tuple(
        (one.name, *(absent(one.name) if value is None else value for value in one.values))
        for one in found.settings
    )
    return Grid("Settings that differ", Table(("setting", *labels), rows, (False,) * (1 + len(labels))))


def _figures(found: Comparison, at: int) -> Block:
    first, other = found.sides[0].label, found.sides[at].label
    columns = ("figure", first, other, "change", "95 %", "statement")
    rows = tuple(_row(figure, at) for figure in found.figures)
    caption = f"{other} against {first}"
    return Grid(caption, Table(columns, rows, (False, True, True, True, True, False)))


def _row(figure: ComparedFigure, at: int) -> tuple[str, ...]:
    change = figure.changes[at - 1]
    sides = (figure.sides[0], figure.sides[at])
    interval = "–" if change.ci95 is None else interval_words(change)
    share = "–" if change.share is None else percent(change.share)
    return (
        figure.title,
        *(_value(side, figure.unit) for side in sides),
        share,
        interval,
        _told(change, sides),
    )


def _value(side: SideFigure, unit: str) -> str:
    return ("≥ " if side.is_bound and side.value is not None else "") + shown(side.value, unit)


def _told(change: FigureChange, sides: tuple[SideFigure, ...]) -> str:
    """`better`, `more`, `no difference`, or why nothing is said."""
    if change.told == "same":
        return "no difference"
    if change.told != "unknown":
        return {True: "better", False: "worse", None: change.told}[change.is_better]
    if any(side.value is None for side in sides):
        return _UNKNOWN
    if any(side.is_bound for side in sides):
        return "a bound"
    return "one run each" if max(side.count for side in sides) == 1 else "not repeated"
