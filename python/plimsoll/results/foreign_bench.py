"""What another benchmark measured, in its own words, with all that it printed."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import counted
from plimsoll.charts import Table
from plimsoll.facts import ForeignBench, ForeignFigure, Run
from plimsoll.results._blocks import Block, Folded, Grid, Pairs, Words
from plimsoll.results._compared import Compared, Quantity, Unit
from plimsoll.results._kind import ResultKind
from plimsoll.results._words import sentence

_SHOWN = 3


def _answer(found: ForeignBench) -> str:
    """Its first figures that are known."""
    known = [one for one in found.figures if one.value is not None]
    told = ", ".join(f"{_name(one)} {_value(one)} {one.unit}" for one in known[:_SHOWN])
    more = f" and {counted(len(known) - _SHOWN, 'figure')} more" if len(known) > _SHOWN else ""
    return f"measured by {found.tool}: {told or 'no figure is known'}{more}"


def _name(one: ForeignFigure) -> str:
    return f"{one.name} ({one.of})" if one.of else one.name


def _value(one: ForeignFigure) -> str:
    if one.value is None:
        return "unknown"
    return f"{one.value:,.0f}" if one.value == round(one.value) else f"{one.value:,.6g}"


def _blocks(run: Run) -> list[Block]:
    return list(_each(run, run.results["foreign_bench"]))


def _beside(run: Run) -> list[str]:
    """That figures are unknown because they are no numbers."""
    return ["figures of it could not be read"] if _is_in_part(run) else []


def _status(run: Run) -> ExitStatus:
    return ExitStatus.DONE_IN_PART if _is_in_part(run) else ExitStatus.DONE


def _is_in_part(run: Run) -> bool:
    from plimsoll.dialects.foreign import FIGURES_UNREAD

    return any(note.code == FIGURES_UNREAD for note in run.notes)


def _each(run: Run, found: ForeignBench) -> Iterator[Block]:
    yield Words(sentence("; ".join([_answer(found), *_beside(run)])))
    rows = tuple((one.name, one.of, _value(one), one.unit) for one in found.figures)
    yield Grid(
        f"Figures of {found.tool}, in its own words",
        Table(("figure", "of", "value", "unit"), rows, (False, False, True, False)),
    )
    version = found.version or "not told"
    known = "" if found.is_known_version else ", which is not known here"
    settings = tuple((one.name, one.value) for one in found.settings)
    yield Pairs("As it was measured", (("version", f"{version}{known}"), *settings))


_UNITS: dict[str, Unit] = {"MB/s": "mb_per_s", "µs": "us", "per s": "per_s"}
"""Those that a comparison has as well; of others the unit stands in the title."""
_LESS = ("µs", "ms")


def _figures(run: Run) -> list[Quantity]:
    """Of a figure in shares or packets it is not known whether more is better."""
    return [_quantity(one) for one in run.results["foreign_bench"].figures]


def _quantity(one: ForeignFigure) -> Quantity:
    better = (
        "less" if one.unit in _LESS else "more" if one.unit.endswith("/s") or one.unit == "per s" else None
    )
    title = _name(one) if one.unit in _UNITS else f"{_name(one)}, {one.unit}"
    name = f"foreign_bench.{_name(one)}.{one.unit}"
    return Quantity(name, title, _UNITS.get(one.unit, "count"), one.value, better)


def _work(run: Run) -> dict[str, str]:
    found: ForeignBench = run.results["foreign_bench"]
    return {"tool": found.tool, **{one.name: one.value for one in found.settings}}


RESULT = ResultKind(
    fact=ForeignBench,
    rows=(ForeignFigure,),
    rank=145,
    answer=_answer,
    beside=_beside,
    status=_status,
    title="What another tool measured",
    help="Figures of another benchmark in its own words, and its text.",
    page_rank=58,
    blocks=_blocks,
    on_page=lambda run: [Folded("Its text, as it was read", run.results["foreign_bench"].document)],
    compared=Compared(figures=_figures, work=_work),
)
