"""The verb `compare`: stored runs of one kind beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.compare import CompareRequest


task = "keep"


@asks("compare.CompareRequest")
def command(asked: CompareRequest, place: Place) -> int:
    """Hold stored runs against each other: settings that differ, then figures with what can be told of them.

    The first is what the others are held against. A change is told where both sides were repeated, or each run has an interval
    of its own; of one run each nobody knows how sure it is, and nothing is told.
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
        return here.finish("compare", data, show, (), status)
