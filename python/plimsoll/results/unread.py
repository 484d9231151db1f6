"""Files that were named and are not in the result beside it."""

from __future__ import annotations

from plimsoll.base.units import counted
from plimsoll.charts import Table
from plimsoll.facts import Run, Unread, UnreadFile
from plimsoll.results._blocks import Block, Grid, Words
from plimsoll.results._kind import ResultKind
from plimsoll.results._words import sentence

_ON_PAGE_MAX = 500
_COLUMNS = ("file", "why", "what to do")


def _answer(found: Unread) -> str:
    parts = [f"{counted(len(found.files), 'file')} could not be read"] if found.files else []
    parts += [_unreached_words(found.unreached)] if found.unreached else []
    return "; ".join(parts) or "all files were read"


def _unreached_words(unreached: int) -> str:
    were = "was" if unreached == 1 else "were"
    return f"{counted(unreached, 'file')} {were} not read, or not all that is in them, as it was ended before"


def _blocks(run: Run) -> list[Block]:
    found: Unread = run.results["unread"]
    return [Words(sentence(_answer(found)))]


def _on_page(run: Run) -> list[Block]:
    files: tuple[UnreadFile, ...] = run.results["unread"].files
    if not files:
        return []
    few = len(files) > _ON_PAGE_MAX
    caption = f"The first {_ON_PAGE_MAX:,} of {len(files):,}" if few else "Files that could not be read"
    rows = tuple((_place(one), one.message or "", one.hint or "") for one in files[:_ON_PAGE_MAX])
    return [Grid(caption, Table(_COLUMNS, rows, (False,) * len(_COLUMNS), ("what to do",)))]


def _place(one: UnreadFile) -> str:
    return one.file if one.member is None else f"{one.file}/{one.member}"


RESULT = ResultKind(
    fact=Unread,
    rank=905,
    answer=_answer,
    title="What was not read",
    help="Files that were named and are not in the result, with the reason.",
    page_rank=59,
    blocks=_blocks,
    on_page=_on_page,
)
