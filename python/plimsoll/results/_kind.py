"""What a file of this room tells of its kind of result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from plimsoll.base.errors import ExitStatus
from plimsoll.base.values import value

if TYPE_CHECKING:
    from plimsoll.facts import Cell, Fact, Run
    from plimsoll.results._blocks import Block
    from plimsoll.results._compared import Compared

ColumnKind = Literal["text", "integer", "real", "boolean", "instant"]


@value
class RunColumn:
    """A column of the store's table `runs`; NULL where a run has nothing of the kind, unless `required`.

    Units and meaning are those of the fact that the value is from.
    """

    name: str
    kind: ColumnKind
    of: Callable[[Run], Any]
    required: bool = False


def fact_data(run: Run, kind: str) -> dict[str, Any]:
    """The data of `--json`: the run's id, and the fields of the result."""
    return {"run": run.id, **run.results[kind].model_dump(mode="json")}


@value
class ResultKind:
    """One kind of result.

    `fact` is its class, or a tuple of one. Of several results the one of the least `rank` speaks for the run. `answer` is one
    sentence without its full stop. `cells` are the measured points that it rests on, whose checks and errors make the exit status
    of a whole run with it, where `status` does not. `columns` are what the store keeps of it in `runs`. `blocks` are what people
    see of it, on a terminal and under `title` on the page, where `on_page` adds what a terminal cannot show; None: the rooms above
    have words of their own for it.
    """

    fact: Any
    rank: int
    answer: Callable[[Any], str]
    beside: Callable[[Run], Sequence[str]] = lambda run: ()
    """What other results of the run say against the answer; it stands behind it."""
    cells: Callable[[Run], Sequence[Cell]] = lambda run: ()
    status: Callable[[Run], ExitStatus] | None = None
    columns: tuple[RunColumn, ...] = ()
    data: Callable[[Run, str], Any] = fact_data
    rows: tuple[type[Fact], ...] = ()
    """The facts whose table is printed as data where none is named: the first of them of which there are any, else the last."""
    envelope: str = ""
    """The `kind` of the document of `--json`; empty: the kind's own name."""
    title: str = ""
    help: str = ""
    page_rank: int = 50
    blocks: Callable[[Run], list[Block]] | None = None
    on_page: Callable[[Run], list[Block]] | None = None
    compared: Compared | None = None
    """What runs with it are compared by; None: they are not."""
    instead: str = ""
    """What is said to whoever would compare runs that are not compared, where there is something better to name than other runs."""


def cells_status(run: Run, cells: Iterable[Cell], failed: bool = False) -> ExitStatus:
    """130 interrupted, 4 when I/Os failed, 1 when a check says that a number is not valid."""
    from plimsoll.native.errors import STORAGE_FAILED
    from plimsoll.supply.checks import deciding

    measured = list(cells)
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if (
        failed
        or any(cell.errors for cell in measured)
        or any(note.code == STORAGE_FAILED for note in run.notes)
    ):
        return ExitStatus.WORLD_FAILED
    wrong = deciding(check for cell in measured for check in cell.checks)
    return ExitStatus.ANSWER_IS_NO if wrong else ExitStatus.DONE
