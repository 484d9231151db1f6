"""How fast the memory of a host is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import (
    counted,
    format_bytes,
    format_mb,
    format_ns,
    format_rate,
    format_ratio,
    format_share,
)
from plimsoll.charts import Table
from plimsoll.facts import MemoryBench, MemoryChase, MemoryLoad, MemoryStream, MemoryUpdates, Run
from plimsoll.facts.memory_bench import LOAD_UNSTEADY, LOADED_KERNEL, LOADED_STORE, NOT_MEASURED
from plimsoll.results._blocks import Block, Figure, Grid, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind
from plimsoll.results._words import sentence


def _answer(found: MemoryBench) -> str:
    """Of the first node at home: triad with each kind of store, and the latency of the largest working set, alone and under load.
    Nothing at all was measured only where it was interrupted: else the bench is refused."""
    pair = _spoken_for(found)
    parts = [_stream_words(one) for one in found.streams if one.kernel == "triad" and _pair(one) == pair]
    chases = [one for one in found.chases if _pair(one) == pair]
    if chases:
        last = max(chases, key=lambda one: (one.size_bytes, one.pages == "small"))
        parts.append(
            f"{last.latency_ns:.1f} ns a load in {format_bytes(last.size_bytes)} of {last.pages} pages"
        )
    loads = [one for one in found.loads if _pair(one) == pair]
    if loads:
        most = max(loads, key=lambda one: one.share)
        parts.append(f"{format_ns(most.latency_ns)} while others move {format_mb(most.mb_per_s)} MB/s")
    return ", ".join(parts) or "nothing was measured before it was interrupted"


def _stream_words(one: MemoryStream) -> str:
    return f"triad {format_mb(one.mb_per_s)} MB/s with {one.store} stores on {counted(one.threads, 'thread')}"


_Row = MemoryStream | MemoryChase | MemoryUpdates | MemoryLoad


def _pair(one: _Row) -> tuple[int, int]:
    return one.cpu_node, one.memory_node


def _spoken_for(found: MemoryBench) -> tuple[int, int] | None:
    """The first node at home; where no CPU has usable memory of its own, the first pair; None: nothing was measured."""
    rows: Iterable[_Row] = (*found.streams, *found.updates, *found.chases)
    pairs = [_pair(one) for one in rows]
    return next((one for one in pairs if one[0] == one[1]), pairs[0] if pairs else None)


def _beside(run: Run) -> list[str]:
    """That latency under load contradicts other figures: the note says where."""
    is_unsteady = any(note.code == LOAD_UNSTEADY for note in run.notes)
    return ["latency under load is not steady"] if is_unsteady else []


def _status(run: Run) -> ExitStatus:
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    is_part = any(note.code == NOT_MEASURED for note in run.notes)
    return ExitStatus.DONE_IN_PART if is_part else ExitStatus.DONE


def _blocks(run: Run) -> list[Block]:
    """The answer, and a table of each kind of work."""
    found: MemoryBench = run.results["memory_bench"]
    arrays = f"arrays of {format_bytes(found.array_bytes)}" + (
        "" if found.bound is None else f", as {found.bound}"
    )
    blocks: list[Block] = [Words(sentence(f"{_answer(found)}; {arrays}"))]
    if found.streams:
        blocks.append(Grid("Streams, MB per second of all threads together", _streams(found.streams)))
    if found.updates:
        blocks.append(Grid("Random updates of words, one in a line", _updates(found.updates)))
    if found.chases:
        blocks.append(Grid("Loads that each wait for the one before, ns each", _chases(found.chases)))
    if found.loads:
        blocks.append(Grid(_loads_caption(found.loads), _loads(found.loads)))
    return blocks


def _on_page(run: Run) -> Iterator[Block]:
    """What lies between nodes as heat maps, and curves."""
    found: MemoryBench = run.results["memory_bench"]
    if (
        len({_pair(one) for one in found.streams if (one.kernel, one.store) == (LOADED_KERNEL, LOADED_STORE)})
        > 1
    ):
        yield Figure("memory-bandwidth")
    if len({_pair(one) for one in found.chases if one.pages == "small"}) > 1:
        yield Figure("memory-latency")
    if found.loads:
        yield Figure("memory-under-load")


def _streams(streams: Sequence[MemoryStream]) -> Table:
    rows = tuple(
        (
            str(one.cpu_node),
            str(one.memory_node),
            one.kernel,
            one.store,
            str(one.threads),
            format_mb(one.mb_per_s),
            format_mb(one.mb_per_s_max),
        )
        for one in streams
    )
    columns = ("CPUs of node", "memory of node", "kernel", "stores", "threads", "median", "best")
    return Table(columns, rows, (True, True, False, False, True, True, True), ("threads", "best"))


def _updates(updates: Sequence[MemoryUpdates]) -> Table:
    rows = tuple(
        (
            str(one.cpu_node),
            str(one.memory_node),
            str(one.threads),
            format_bytes(one.size_bytes),
            format_rate(one.updates_per_s),
            format_rate(one.slowest_per_s),
            format_rate(one.fastest_per_s),
        )
        for one in updates
    )
    columns = (
        "CPUs of node",
        "memory of node",
        "threads",
        "memory of each",
        "per second",
        "slowest",
        "fastest",
    )
    return Table(columns, rows, (True,) * len(columns), ("fastest", "slowest", "memory of each"))


def _chases(chases: Sequence[MemoryChase]) -> Table:
    """A row for each working set, with either size of pages beside each other."""
    by_place: dict[tuple[int, int, int], dict[str, MemoryChase]] = {}
    for one in chases:
        by_place.setdefault((one.cpu_node, one.memory_node, one.size_bytes), {})[one.pages] = one
    rows = tuple(
        (str(home), str(node), format_bytes(size), _ns(told.get("small")), _ns(told.get("huge")))
        for (home, node, size), told in by_place.items()
    )
    columns = ("CPUs of node", "memory of node", "working set", "small pages", "huge pages")
    return Table(columns, rows, (True,) * len(columns))


def _loads_caption(loads: Sequence[MemoryLoad]) -> str:
    """Nodes with little memory have smaller working sets: these stand in a column then."""
    sizes = {one.size_bytes for one in loads}
    size = f"in {format_bytes(*sizes)} " if len(sizes) == 1 else ""
    others = f"others stream by {LOADED_KERNEL} with {LOADED_STORE} stores"
    return f"Latency under load: ns a load {size}of small pages on one CPU, while {others}"


def _loads(loads: Sequence[MemoryLoad]) -> Table:
    alone = {_pair(one): one.latency_ns for one in loads if one.share == 0}
    differ = len({one.size_bytes for one in loads}) > 1
    rows = tuple(
        (
            str(one.cpu_node),
            str(one.memory_node),
            "none" if one.share == 0 else "all" if one.share == 1 else format_share(one.share),
            str(len(one.load_cpus)),
            format_mb(one.mb_per_s),
            f"{one.latency_ns:.1f}",
            format_ratio(one.latency_ns / alone[_pair(one)]) if alone.get(_pair(one)) else "unknown",
            *((format_bytes(one.size_bytes),) if differ else ()),
        )
        for one in loads
    )
    columns = (
        "CPUs of node",
        "memory of node",
        "load",
        "threads",
        "MB/s",
        "ns a load",
        "times without",
        *(("working set",) if differ else ()),
    )
    numbers = (True, True, False, True, True, True, True, *((True,) if differ else ()))
    return Table(columns, rows, numbers, ("threads", "times without"))


def _ns(one: MemoryChase | None) -> str:
    """With what share was in huge pages, where they were asked for and not all had."""
    if one is None:
        return "not measured"
    if one.huge_share is None or one.huge_share == 1:
        return f"{one.latency_ns:.1f}"
    share = "none" if one.huge_share == 0 else format_share(one.huge_share)
    return f"{one.latency_ns:.1f}, {share} of it huge"


def _figures(run: Run) -> list[Quantity]:
    """Of the pair that the answer is of."""
    found: MemoryBench = run.results["memory_bench"]
    pair = _spoken_for(found)
    told = [
        Quantity(
            f"memory_bench.{one.kernel}_{one.store}",
            f"{one.kernel}, {one.store} stores",
            "mb_per_s",
            one.mb_per_s,
            "more",
        )
        for one in found.streams
        if _pair(one) == pair
    ]
    rate = next((one.updates_per_s for one in found.updates if _pair(one) == pair), None)
    loads = [one for one in found.loads if _pair(one) == pair]
    most = max(loads, key=lambda one: one.share).latency_ns / 1e3 if loads else None
    return [
        *told,
        Quantity("memory_bench.updates", "random updates", "per_s", rate, "more"),
        Quantity("memory_bench.latency_loaded_us", "a load under full load", "us", most, "less"),
    ]


def _work(run: Run) -> dict[str, str]:
    found: MemoryBench = run.results["memory_bench"]
    return {"arrays": format_bytes(found.array_bytes)}


RESULT = ResultKind(
    fact=MemoryBench,
    rows=(MemoryStream, MemoryChase, MemoryUpdates, MemoryLoad),
    rank=16,
    answer=_answer,
    beside=_beside,
    status=_status,
    envelope="host-bench-memory",
    title="How fast memory is",
    help="How fast the memory of a host is, from each node to each.",
    page_rank=47,
    blocks=_blocks,
    on_page=lambda run: [*_on_page(run)],
    compared=Compared(figures=_figures, work=_work),
)
