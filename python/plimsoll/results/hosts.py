"""One workload from several hosts at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from plimsoll.base.errors import ExitStatus
from plimsoll.base.sentences import all_of, the_other, those_left
from plimsoll.base.units import counted, format_mb, format_rate, format_seconds, format_us
from plimsoll.charts import Table
from plimsoll.facts import Cell, HostPart, Run, TogetherOnHosts
from plimsoll.results._blocks import Block, Figure, Grid, Pairs, Points, Words
from plimsoll.results._compared import Compared, Quantity, cell_work, latency_quantities
from plimsoll.results._kind import ResultKind, cells_status
from plimsoll.results._words import doubt_of, sentence

_COLUMNS = ("host", "I/Os per s", "MB/s", "p50", "p99", "p99.9", "errors", "began after", "ended")
_NUMERIC = (False, *(True,) * 7, False)
_SPARE = ("p99.9", "MB/s", "p50")
_CLOCK_COLUMNS = ("host", "clock ahead by", "true to", "moved meanwhile")
_STORAGE = {
    True: "one: each host sees the files of the others",
    False: "not one: a host does not see the files of the others, so the sum is that of several",
    None: "unknown: nothing tells whether the hosts see the same",
}
_STORAGE_AT_ONE_NAME = {
    True: "one: the {kind} is the same for each host",
    False: "not one: under this name a host finds another {kind}, so the sum is that of several",
    None: _STORAGE[None],
}
"""Where hosts measure what was there, and make no files."""
_CHECKED = {True: "passed", False: "failed", None: "could not be made"}
_METHOD = (
    "All hosts begin at one moment, by clocks that were compared before. The sum is that of the steady window, in which all of them"
    " measured; latency is of the slices within it. A host that was lost counts for nothing in the sum, and its own figures are of"
    " the time while it was there: before the loss the storage carried another load than after it."
)


def _answer(found: TogetherOnHosts) -> str:
    lost = [_loss(part) for part in found.hosts if part.lost_because is not None]
    if found.iops is None or found.steady_s is None:
        if lost and found.complete_s is not None:
            return f"lost: {', '.join(lost)}{_while_complete(found)}{_doubts_said(found)}"
        gone = f"; lost: {', '.join(lost)}" if lost else ""
        return f"{_of_hosts(len(found.hosts))} had no measured time in common{gone}{_doubts_said(found)}"
    tail = None if found.latency_us is None else found.latency_us.p99
    rate = f"{format_rate(found.iops)} I/Os per second, p99 {format_us(tail)}, for {format_seconds(found.steady_s)}"
    if lost:
        rest = the_other(len(found.hosts) - len(lost))
        return f"lost: {', '.join(lost)}; {rest} did {rate}{_while_complete(found)}{_doubts_said(found)}"
    who = f"{_of_hosts(len(found.hosts))}{' together' if len(found.hosts) > 1 else ''}"
    return f"{who} {rate}{_doubts_said(found)}"


def _of_hosts(number: int) -> str:
    return counted(number, "host")


def _while_complete(found: TogetherOnHosts) -> str:
    """What all did while all were there: what came after it is another load."""
    if found.complete_s is None:
        return f", never with {all_of(len(found.hosts))} there"
    did = f"{format_rate(found.complete_iops)} for {format_seconds(found.complete_s)}"
    return f"; while {all_of(len(found.hosts))} were there they did {did}"


def _loss(part: HostPart) -> str:
    return f"{part.host} {_after(part)}"


def _doubts_said(found: TogetherOnHosts) -> str:
    return "".join(f"; {doubt}" for doubt in _doubts(found))


def _doubts(found: TogetherOnHosts) -> Iterator[str]:
    """What speaks against the sum."""
    lost = any(part.lost_because is not None for part in found.hosts)
    for check in found.checks:
        # That they were not together is said by the loss.
        if check.passed is False and not (lost and check.name == "together"):
            yield check.reason
    for part in found.hosts:
        if part.cell is None:
            continue
        if part.cell.errors:
            yield f"{part.host}: {part.cell.errors:,} I/Os failed"
        if doubt := doubt_of(part.cell):
            yield f"{part.host} is {doubt}"


def _cells(run: Run) -> list[Cell]:
    return [part.cell for part in run.results["hosts"].hosts if part.cell is not None]


def _status(run: Run) -> ExitStatus:
    """As for a cell, over all hosts; 1 also where they were not together, 5 where one was lost."""
    found: TogetherOnHosts = run.results["hosts"]
    status = cells_status(run, _cells(run))
    if status in (ExitStatus.INTERRUPTED, ExitStatus.WORLD_FAILED):
        return status
    if any(part.lost_because is not None for part in found.hosts):
        return ExitStatus.DONE_IN_PART
    failed = any(check.passed is False for check in found.checks)
    return ExitStatus.ANSWER_IS_NO if failed else status


def _blocks(run: Run) -> list[Block]:
    """The answer, a row for each host, how exactly they were together, and what was checked."""
    found: TogetherOnHosts = run.results["hosts"]
    return [
        Words(sentence(_answer(found))),
        Grid(
            "Each host in the steady window",
            Table(_COLUMNS, tuple(_row(part, run.interrupted) for part in found.hosts), _NUMERIC, _SPARE),
        ),
        Grid(
            "Their clocks",
            Table(_CLOCK_COLUMNS, tuple(map(_clock, found.hosts)), (False, *(True,) * 3)),
            folded=True,
        ),
        Pairs(
            "Together",
            (
                ("start spread", _spread(found.start_spread_us, found)),
                ("end spread", _spread(found.end_spread_us, found)),
                ("steady window", _window(found)),
                *_complete(found),
                ("MB/s", format_mb(found.mb_per_s)),
                *((("storage", _storage(found)),) if len(found.hosts) > 1 else ()),
            ),
        ),
        Points(
            tuple(
                (f"{check.name}, {_CHECKED[check.passed]}", sentence(check.reason)) for check in found.checks
            )
        ),
    ]


def _spread(spread_us: float | None, found: TogetherOnHosts) -> str:
    """With what clocks leave open."""
    is_known = spread_us is not None and found.spread_error_us is not None
    return f"{format_us(spread_us)}{f' ± {format_us(found.spread_error_us)}' if is_known else ''}"


def _window(found: TogetherOnHosts) -> str:
    asked = format_seconds(found.asked_s)
    return f"none of {asked}" if found.steady_s is None else f"{format_seconds(found.steady_s)} of {asked}"


def _storage(found: TogetherOnHosts) -> str:
    kinds = {part.target.kind for part in found.hosts if part.target is not None}
    if kinds in ({"file"}, {"device"}):
        return _STORAGE_AT_ONE_NAME[found.one_storage].format(kind=kinds.pop())
    return _STORAGE[found.one_storage]


def _complete(found: TogetherOnHosts) -> Iterator[tuple[str, str]]:
    if any(part.lost_because is not None for part in found.hosts):
        lasting = "no time" if found.complete_s is None else format_seconds(found.complete_s)
        yield f"{all_of(len(found.hosts))} were there for", lasting
        yield "I/Os per second of all of them", format_rate(found.complete_iops)


def _row(part: HostPart, interrupted: bool) -> tuple[str, ...]:
    spread, cell = part.latency_us, part.cell
    quantiles = (None, None, None) if spread is None else (spread.p50, spread.p99, spread.p999)
    return (
        part.host,
        format_rate(part.iops),
        format_mb(part.mb_per_s),
        *map(format_us, quantiles),
        "–" if cell is None else f"{cell.errors:,}",
        format_us(part.begun_late_us),
        _ended(part, interrupted),
    )


def _ended(part: HostPart, interrupted: bool = False) -> str:
    """Why it was lost is said among the notes."""
    if part.lost_because is None:
        return "when stopped" if interrupted else "as asked"
    return f"lost {_after(part)}"


def _after(part: HostPart) -> str:
    last = part.windows[-1] if part.windows else None
    return (
        "before it told anything"
        if last is None
        else f"after {format_seconds(last.start_s + last.duration_s)}"
    )


def _clock(part: HostPart) -> tuple[str, ...]:
    drift_us = part.clock_drift_us
    moved = "unknown" if drift_us is None else _signed(drift_us)
    return part.host, _signed(part.clock_offset_us), f"±{format_us(part.clock_error_us)}", moved


def _failed_on_hosts(run: Run) -> Iterator[Block]:
    """What failed of each host's own measurement; a terminal has it below."""
    failed = [check for cell in _cells(run) for check in cell.checks if check.passed is False]
    if failed:
        yield Points(
            tuple((f"{check.name.replace('_', ' ')}, failed", sentence(check.reason)) for check in failed)
        )


def _signed(offset_us: float) -> str:
    return f"{'-' if offset_us < 0 else ''}{format_us(abs(offset_us))}"


def _figures(run: Run) -> list[Quantity]:
    """Of all together, without those that were lost, then of each host."""
    found: TogetherOnHosts = run.results["hosts"]
    of = "all hosts" if len(found.left) == len(found.hosts) else those_left(found.left)
    quantities = [Quantity("hosts.iops", f"I/Os per s, {of}", "per_s", found.iops, "more")]
    if found.latency_us is not None:
        quantities += latency_quantities(found.latency_us, "hosts.latency_us", f", {of}")
    quantities += [
        Quantity(f"hosts.{part.host}.iops", f"I/Os per s, {part.host}", "per_s", part.iops, "more")
        for part in found.hosts
    ]
    return quantities


def _doubts_of_run(run: Run) -> list[str]:
    """Checks of all hosts that failed, and hosts that were lost: the sum is then that of the others."""
    found: TogetherOnHosts = run.results["hosts"]
    lost = [f"lost: {_loss(part)}" for part in found.hosts if part.lost_because is not None]
    return [*lost, *(check.reason for check in found.checks if check.passed is False)]


def _work(run: Run) -> dict[str, str]:
    found: TogetherOnHosts = run.results["hosts"]
    cells = _cells(run)
    return {"hosts": str(len(found.hosts))} | (cell_work(cells[0]) if cells else {})


def _data(run: Run, kind: str) -> dict[str, Any]:
    return {
        "run": run.id,
        "interrupted": run.interrupted,
        **run.results[kind].model_dump(mode="json"),
    }


RESULT = ResultKind(
    fact=TogetherOnHosts,
    rows=(HostPart,),
    rank=95,
    answer=_answer,
    cells=_cells,
    status=_status,
    data=_data,
    envelope="io-hosts",
    title="Hosts",
    help="What each host got, and all together.",
    page_rank=46,
    blocks=_blocks,
    on_page=lambda run: [Figure("hosts-over-time"), *_failed_on_hosts(run), Words(_METHOD)],
    compared=Compared(figures=_figures, work=_work, cells=_cells, doubts=_doubts_of_run),
)
