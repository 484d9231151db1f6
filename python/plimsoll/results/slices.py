"""A host divided among databases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_bytes, format_share
from plimsoll.charts import Table
from plimsoll.facts import HostSlice, Run, SliceMemory, SlicePlan
from plimsoll.host.topology.values import in_short
from plimsoll.results._blocks import Block, Figure, Grid, Points, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind
from plimsoll.results._words import sentence

_NONE, _UNKNOWN = "none", "unknown"
_PROVED = 1e-3
"""Of a distance: nobody can tell plans apart that are nearer than that."""
_COLUMNS = ("slice", "cores", "CPUs", "memory", "huge pages", "devices", "cache domains", "distance", "cost")
_NUMERIC = (False, True, False, False, False, False, False, True, True)


_WRONG = {
    "slice-memory-far": "memory of it lies farther from its CPUs than it need be",
    "slice-core-split": "it has cores in part",
    "slice-memory-small": "no database runs in so little memory",
}
"""What is wrong with a slice, in short."""


def _answer(found: SlicePlan) -> str:
    """With what is wrong, as the status says that something is."""
    answer = f"{found.answer}: {found.reason}" if found.reason else found.answer
    return "; ".join(
        [answer, *(f"{one.slice} is wrong: {_WRONG.get(one.code, one.message)}" for one in found.findings)]
    )


def _status(run: Run) -> ExitStatus:
    """1: refused, or something is wrong with a slice; 5: the host was not read in full, or nobody knows."""
    found: SlicePlan = run.results["slices"]
    if found.answer == "refused" or found.findings:
        return ExitStatus.ANSWER_IS_NO
    is_whole = found.answer != "not known" and (run.topology is None or not run.topology.problems)
    return ExitStatus.DONE if is_whole else ExitStatus.DONE_IN_PART


def _blocks(run: Run) -> list[Block]:
    """The answer, what each slice is given, and what a reader must know."""
    found: SlicePlan = run.results["slices"]
    blocks: list[Block] = [Words(sentence(_answer(found)))]
    if found.slices:
        blocks.append(Grid("What each slice is given", _table(found.slices)))
    return [*blocks, Points(tuple((about, sentence(said)) for about, said in _said(found)))]


def _table(slices: Sequence[HostSlice]) -> Table:
    rows = tuple(
        (
            f"{one.name}{' (by hand)' if one.is_by_hand else ''}",
            f"{one.cores:,}",
            in_short(one.cpus).replace(",", ", "),
            ", ".join(map(_memory, one.memory)) or _NONE,
            ", ".join(_pages(one)) or _NONE,
            ", ".join(
                f"{device.name} at {_UNKNOWN if device.distance is None else device.distance}"
                for device in one.devices
            )
            or _NONE,
            f"{one.domains:,}{f', {one.shared_domains:,} shared' if one.shared_domains else ''}",
            _UNKNOWN if one.memory and one.distance_mean is None else _distance(one.distance_mean),
            f"{one.cost:.2f}",
        )
        for one in slices
    )
    return Table(_COLUMNS, rows, _NUMERIC, ("devices", "cache domains", "cost"))


def _memory(part: SliceMemory) -> str:
    return f"{format_bytes(part.memory_bytes)} of node {part.node}"


def _pages(one: HostSlice) -> Iterator[str]:
    for part in one.memory:
        if part.huge_pages and one.huge_page_bytes is not None:
            yield f"{part.huge_pages:,} × {format_bytes(one.huge_page_bytes)} on node {part.node}"


def _distance(mean: float | None) -> str:
    return _NONE if mean is None else f"{mean:.1f}"


def _said(found: SlicePlan) -> Iterator[tuple[str, str]]:
    """Sentences without their full stop, each with what it is about."""
    if found.cost is not None and found.cost_min is not None:
        beside = " beside what is given by hand" if any(one.is_by_hand for one in found.slices) else ""
        yield "cost", "; ".join([f"{_cost(found.cost, found.cost_min)}{beside}", *_second(found, found.cost)])
    for one in found.findings:
        yield one.slice, one.message
    yield (
        "memory",
        f"{format_share(found.memory_free_share)} of the memory of each node is given to nobody (memory_free_share)",
    )
    if found.slices:
        yield from _disks(found)
        free = in_short(found.free_cpus).replace(",", ", ")
        rest = f"; {_rest(found.split_cpus)}" if found.split_cpus else ""
        nobody = (
            f"nobody was given the CPUs {free}" if free else "every whole core that may be given was given"
        )
        yield "free CPUs", nobody + rest
        yield (
            "licences",
            "control groups bind processes to CPUs, and Oracle counts them as soft partitioning: they save no licence",
        )


def _disks(found: SlicePlan) -> Iterator[tuple[str, str]]:
    from plimsoll.placement.slices.cost_model import what_groups_have

    for disk in found.disks:
        yield disk.name, what_groups_have(disk)


def _rest(cpus: tuple[int, ...]) -> str:
    return f"slices given by hand have cores in part, so that nobody has the CPUs {in_short(cpus).replace(',', ', ')} of them"


def _cost(cost: float, cost_min: float) -> str:
    """How good the plan is."""
    is_proved = cost - cost_min <= _PROVED
    proof = "proved to be the least" if is_proved else f"and no plan costs less than {cost_min:.2f}"
    return f"the plan costs {cost:.2f} in distance, {proof}"


def _second(found: SlicePlan, cost: float) -> Iterator[str]:
    """How much worse the best other plan would be, where a database was planned at all."""
    second, least = found.cost_second, found.cost_second_min
    if second is not None and least is not None:
        at_most = "" if second - least <= _PROVED else "at most "
        other = "the same" if abs(second - cost) <= _PROVED else f"{second:.2f}"
        yield f"the best that centres one of the databases on another node costs {at_most}{other}"
    elif any(one.purpose == "database" and not one.is_by_hand for one in found.slices):
        yield (
            "what the best costs that centres one of the databases on another node is not known"
            if found.has_second is None
            else "no plan centres one of the databases on another node"
        )


def _figures(run: Run) -> list[Quantity]:
    """What the plan costs, and what it leaves. Plans of unlike slices cost unlike much, which makes none of them better."""
    found: SlicePlan = run.results["slices"]
    free = len(found.free_cpus) if found.slices else None
    return [
        Quantity("slices.cost", "cost of the plan, in distance", "times", found.cost, "less"),
        Quantity("slices.changes", "slices that ask for too much", "count", len(found.changes), "less"),
        Quantity("slices.free_cpus", "CPUs given to nobody", "count", free, None),
    ]


def _work(run: Run) -> dict[str, str]:
    """What each slice was given: a plan that costs less is better only for the same."""
    found: SlicePlan = run.results["slices"]
    return {
        f"slice {one.name}": f"{one.cores:,} cores, {format_bytes(sum(part.memory_bytes for part in one.memory))}"
        for one in found.slices
    }


RESULT = ResultKind(
    fact=SlicePlan,
    rows=(HostSlice,),
    rank=19,
    answer=_answer,
    status=_status,
    envelope="host-slice-plan",
    title="What each database is given of the host",
    help="Cores and memory of a host for each of its databases.",
    page_rank=44,
    blocks=_blocks,
    on_page=lambda run: [Figure("host-slices")] if run.results["slices"].slices else [],
    compared=Compared(figures=_figures, work=_work),
)
