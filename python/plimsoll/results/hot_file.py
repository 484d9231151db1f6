"""One file that all hosts read, against a file for each of them."""

from __future__ import annotations

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import counted, format_rate, format_ratio, format_us
from plimsoll.charts import Table
from plimsoll.facts import Cell, HotFile, HotFileRound, Run
from plimsoll.results._blocks import Block, Grid, Pairs, Words
from plimsoll.results._compared import Compared, Quantity, cell_work
from plimsoll.results._kind import ResultKind, cells_status
from plimsoll.results._words import doubt_of, sentence

_OF = {"own": "a file each", "one": "one file"}
_WHY = {
    True: "Hosts that read one file wait for each other: something on the way, such as a lock of the server or of its file system,"
    " lets fewer through. A database whose nodes share data files does better with more and smaller files there.",
    False: "At this load hosts lose less than a fifth of their rate where they read one file.",
    None: "The rounds do not agree, or there are fewer than four; --repeats makes more of them.",
}
_METHOD = (
    "Rounds go: a file each, one file, one file, a file each, so that a storage that slowly changes does not look like a"
    " difference. Of a file each every host reads only so much that all of them read as much data as of the one file: what fits"
    " into a cache on the side of the storage is the same."
)


def _answer(found: HotFile) -> str:
    who = counted(len(found.hosts), "host")
    made = len(found.rounds)
    lost = f"; {made} of {found.rounds_asked} rounds" if made < found.rounds_asked else ""
    lost += "" if found.ended_because is None else f"; {found.ended_because}"
    if found.ratio is None:
        return f"not known what {who} get out of one file{lost}"
    says = {True: "one file is a bottleneck", False: "one file is no bottleneck", None: "not clear"}
    doubts = sorted({doubt for one in found.rounds if (doubt := doubt_of(one.cell))})
    said = "".join(f", {doubt}" for doubt in doubts)
    times = f"{who} read from it {format_ratio(found.ratio)} times what they read from a file each"
    return f"{says[found.is_slower]}: {times}{said}{lost}"


def _cells(run: Run) -> list[Cell]:
    return [one.cell for one in run.results["hot_file"].rounds]


def _status(run: Run) -> ExitStatus:
    """As for a cell, over all rounds; 1 also where one file is slower or it is not clear, 5 where they ended too early."""
    found: HotFile = run.results["hot_file"]
    status = cells_status(run, _cells(run))
    if status in (ExitStatus.INTERRUPTED, ExitStatus.WORLD_FAILED):
        return status
    if found.ended_because is not None:
        return ExitStatus.DONE_IN_PART
    return status if found.is_slower is False else ExitStatus.ANSWER_IS_NO


def _blocks(run: Run) -> list[Block]:
    found: HotFile = run.results["hot_file"]
    columns = ("round", "read", "I/Os per s", "p50", "p99", *found.hosts)
    numeric = (False, False, *(True,) * (3 + len(found.hosts)))
    rows = tuple(_row(number, one) for number, one in enumerate(found.rounds, 1))
    return [
        Words(sentence(_answer(found))),
        *([Words(_WHY[found.is_slower])] if found.ratios else []),
        Grid("Rounds, and I/Os per second of each host", Table(columns, rows, numeric, ("p50",))),
        Pairs(
            "Together",
            (
                ("of each pair", ", ".join(map(format_ratio, found.ratios)) or "–"),
                ("the one file", found.path),
                ("start spread", format_us(found.start_spread_us)),
            ),
        ),
    ]


def _row(number: int, one: HotFileRound) -> tuple[str, ...]:
    spread = one.cell.latency_us
    each = (format_rate(part.iops) for part in one.cell.hosts)
    figures = (format_rate(one.cell.iops), format_us(spread.p50), format_us(spread.p99))
    return str(number), _OF[one.of], *figures, *each


def _figures(run: Run) -> list[Quantity]:
    found: HotFile = run.results["hot_file"]
    return [Quantity("hot_file.ratio", "one file over a file each", "times", found.ratio, "more")]


def _work(run: Run) -> dict[str, str]:
    cells = _cells(run)
    hosts = {"hosts": str(len(run.results["hot_file"].hosts))}
    return hosts | (cell_work(cells[0]) if cells else {})


RESULT = ResultKind(
    fact=HotFile,
    rows=(HotFileRound,),
    rank=96,
    answer=_answer,
    cells=_cells,
    status=_status,
    envelope="io-hot-file",
    title="One file, or a file each",
    help="What hosts get out of one file.",
    page_rank=51,
    blocks=_blocks,
    on_page=lambda run: [Words(_METHOD)],
    compared=Compared(figures=_figures, work=_work, cells=_cells),
)
