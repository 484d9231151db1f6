"""Slices of a host held against the plan that was applied."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import format_bytes, format_share
from plimsoll.charts import Table
from plimsoll.facts import Run, SliceCap, SliceCheck, SliceChecks, SliceSharedMemory, SliceWrong
from plimsoll.host.topology.values import in_short
from plimsoll.results._blocks import Block, Grid, Points, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind
from plimsoll.results._words import sentence

_UNKNOWN = "unknown"
_COLUMNS = (
    "slice",
    "CPUs",
    "run on",
    "nodes",
    "processes",
    "looks",
    "elsewhere",
    "memory",
    "on other nodes",
    "huge pages",
)
_NUMERIC = (False, False, False, False, True, True, True, True, True, True)


def _answer(found: SliceChecks) -> str:
    """With each finding: the status says that there are some."""
    told = "; ".join(map(_words, found.findings))
    return f"{found.answer}: {told}" if told else f"{found.answer}: {_counted(found)}"


def _words(one: SliceWrong) -> str:
    about = "" if one.slice is None else f"{one.slice}: "
    return f"{about}{'not known: ' if one.severity == 'doubt' else ''}{one.message}"


def _counted(found: SliceChecks) -> str:
    processes = sum(one.processes for one in found.slices)
    samples = sum(one.samples for one in found.slices)
    told = (
        (processes, "process", "processes"),
        (len(found.slices), "slice", "slices"),
        (samples, "look", "looks"),
    )
    inside, slices, looks = (f"{number:,} {one if number == 1 else many}" for number, one, many in told)
    return f"{inside} in {slices}, {looks} at threads that had run"


def _status(run: Run) -> ExitStatus:
    """130: it was interrupted; 1: something is not as planned; 5: something could not be seen."""
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    found: SliceChecks = run.results["slice_checks"]
    if found.answer == "not as planned":
        return ExitStatus.ANSWER_IS_NO
    return ExitStatus.DONE if found.answer == "as planned" else ExitStatus.DONE_IN_PART


def _blocks(run: Run) -> list[Block]:
    """The answer, what each slice is like, and each finding."""
    found: SliceChecks = run.results["slice_checks"]
    first = f"{found.answer}: {_counted(found)}, by {found.way}"
    blocks: list[Block] = [Words(sentence(first)), Grid("What each slice is like", _table(found.slices))]
    if found.caps:
        blocks.append(Grid("Caps that were tried, with reads from within the slice", _caps(found.caps)))
    if found.shared_memory is not None and found.shared_memory.nodes:
        title = f"Shared memory of {found.shared_memory.database} by node"
        blocks.append(Grid(title, _shared(found.shared_memory)))
    points = tuple((one.slice or "host", sentence(_said(one))) for one in found.findings)
    return [*blocks, Points(points)] if points else blocks


def _caps(caps: Sequence[SliceCap]) -> Table:
    rows = tuple(
        (
            one.slice,
            one.device,
            format_bytes(one.block_bytes),
            f"{one.limit_iops:,.0f}",
            f"{one.read_iops:,.0f}",
            f"{one.ios:,}",
            _UNKNOWN if one.counted_ios is None else f"{one.counted_ios:,}",
        )
        for one in caps
    )
    columns = (
        "slice",
        "disk",
        "reads of",
        "cap per second",
        "had per second",
        "reads",
        "counted by the kernel",
    )
    return Table(columns, rows, (False, False, True, True, True, True, True), ("reads", "reads of"))


def _shared(found: SliceSharedMemory) -> Table:
    rows = tuple(
        (
            "not placed" if one.node is None else str(one.node),
            "yes" if one.node in found.nodes_planned else "no",
            _bytes(one.server_bytes),
            _bytes(one.kernel_bytes),
        )
        for one in found.nodes
    )
    return Table(("node", "planned", "by the server", "by the kernel"), rows, (False, False, True, True))


def _said(one: SliceWrong) -> str:
    return f"{'wrong' if one.severity == 'wrong' else 'not known'}: {one.message} ({one.code})"


def _table(slices: Sequence[SliceCheck]) -> Table:
    return Table(_COLUMNS, tuple(map(_row, slices)), _NUMERIC, ("huge pages", "looks", "nodes"))


def _row(one: SliceCheck) -> tuple[str, ...]:
    return (
        one.name,
        in_short(one.cpus).replace(",", ", "),
        _UNKNOWN if one.cpus_effective is None else in_short(one.cpus_effective).replace(",", ", "),
        in_short(one.nodes),
        f"{one.processes:,}",
        f"{one.samples:,}",
        format_share(one.samples_outside / one.samples) if one.samples else _UNKNOWN,
        _bytes(one.memory_bytes),
        format_share(one.memory_elsewhere_bytes / one.memory_bytes)
        if one.memory_bytes and one.memory_elsewhere_bytes is not None
        else _UNKNOWN,
        _bytes(one.huge_bytes),
    )


def _bytes(size: int | None) -> str:
    return _UNKNOWN if size is None else format_bytes(size)


def _figures(run: Run) -> list[Quantity]:
    found: SliceChecks = run.results["slice_checks"]
    wrong = sum(one.severity == "wrong" for one in found.findings)
    return [Quantity("slice_checks.wrong", "findings of slices", "count", wrong, "less")]


def _work(run: Run) -> dict[str, str]:
    """What was planned for each slice."""
    found: SliceChecks = run.results["slice_checks"]
    return {
        f"slice {one.name}": f"CPUs {in_short(one.cpus)}, nodes {in_short(one.nodes)}" for one in found.slices
    }


RESULT = ResultKind(
    fact=SliceChecks,
    rows=(SliceCheck, SliceWrong, SliceCap),
    rank=17,
    answer=_answer,
    status=_status,
    envelope="host-slice-verify",
    title="Whether slices are as planned",
    help="Slices of a host held against the plan that was applied.",
    page_rank=48,
    blocks=_blocks,
    compared=Compared(figures=_figures, work=_work),
)
