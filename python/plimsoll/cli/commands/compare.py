"""The verb `compare`: stored runs of one kind beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.data import DataTable
    from plimsoll.cli.place import Place
    from plimsoll.facts import Comparison
    from plimsoll.requests.compare import CompareRequest


task = "keep"


@asks("compare.CompareRequest")
def command(asked: CompareRequest, place: Place) -> int:
    """Compare stored runs of one kind.

    Settings that differ come first, then the figures and how sure a change is. The first run is the base. A
    change is stated where both sides were repeated, or each run has an interval of its own; for one run each there is no
    statement.
    """
    return hold(asked, place)


def hold(asked: CompareRequest, place: Place) -> int:
    """Does it under either name."""
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.session import session
    from plimsoll.flows.compare import compare, write_comparison

    with session(place) as here:
        found = compare(here.ctx, asked.runs)
        page = None if asked.html is None else write_comparison(here.ctx, found, Path(asked.html))
        comparison = found.comparison

        def show() -> None:
            from plimsoll.cli.blocks import show_blocks
            from plimsoll.results import comparison_blocks

            say(f"{comparison.headline}.")
            show_blocks(comparison_blocks(comparison))
            if page is not None:
                say(page.path)

        data = {**comparison.model_dump(mode="json"), "page": page and str(page.path)}
        status = ExitStatus.DONE if comparison.is_valid else ExitStatus.ANSWER_IS_NO
        return here.finish("compare", data, show, (), status, lambda: _tables(comparison))


def _tables(found: Comparison) -> list[DataTable]:
    """A row for each figure of each side, with the change against the first; settings alike; the sides."""
    from plimsoll.cli.data import of_dicts, of_facts
    from plimsoll.facts.comparison import ComparedSide

    labels = [side.label for side in found.sides]
    figures = [
        {
            **figure.model_dump(exclude={"sides", "changes"}),
            "side": label,
            **side.model_dump(),
            **{f"change_{name}": value for name, value in (change.model_dump() if change else {}).items()},
        }
        for figure in found.figures
        for label, side, change in zip(labels, figure.sides, (None, *figure.changes), strict=True)
    ]
    settings = [
        {"name": one.name, "is_work": one.is_work, "side": label, "value": value}
        for one in found.settings
        for label, value in zip(labels, one.values, strict=True)
    ]
    sides = of_facts("sides", ComparedSide, found.sides)
    return [of_dicts("figures", figures), of_dicts("settings", settings), sides]
