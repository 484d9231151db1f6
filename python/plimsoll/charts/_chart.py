"""The one shape of every chart: whether it applies, what it draws, what it says, and its figures as a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from plimsoll.base.errors import WorldError
from plimsoll.base.installing import extra_hint
from plimsoll.base.values import value

if TYPE_CHECKING:
    import altair

    from plimsoll.facts import Bucket, Run


@value
class Subject:
    """What charts and sections are about: a run, and latency distributions as buckets, keyed as a reader should see them.

    `distribution_sources` names the distributions worth computing; whoever may call the extension turns them into buckets.
    """

    run: Run
    distributions: Mapping[str, Sequence[Bucket]] = field(default_factory=dict)


@value
class Table:
    """Figures as text, ready to print. `numeric` tells which columns are numbers, to be set flush right.

    `spare` names columns that a narrow terminal can do without, the first of them first.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    spare: tuple[str, ...] = ()

    def without(self, names: Collection[str]) -> Table:
        """The same without these columns."""
        kept = [number for number, name in enumerate(self.columns) if name not in names]
        return Table(
            tuple(self.columns[number] for number in kept),
            tuple(tuple(row[number] for number in kept) for row in self.rows),
            tuple(self.numeric[number] for number in kept),
            tuple(name for name in self.spare if name not in names),
        )


@value
class Chart:
    """One chart. `draw` takes the width of the whole picture in pixels; the other functions need no chart library."""

    title: str
    help: str
    applies: Callable[[Subject], bool]
    draw: Callable[[Subject, int], altair.TopLevelMixin]
    words: Callable[[Subject], str]
    table: Callable[[Subject], Table]


def altair_module() -> Any:
    """Altair, imported when first needed: it takes a third of a second. Raises WorldError `extra-missing`.

    It copies what a chart is made of several times, each object with all of its fields, set or not: axes and legends, which have a
    hundred, are given as dictionaries. A channel that is given as a text makes it look through all of its classes.
    """
    try:
        import altair
    except ImportError as error:
        raise WorldError(
            "extra-missing", "altair is not installed, which draws charts", extra_hint("report")
        ) from error
    return altair
