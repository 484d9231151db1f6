"""The log: how often it is written, and how much at a time.

A request is one write to one file of the log, so a log with two members has two for each write of the log writer. IOStat counts
such requests; the statistic `redo writes` counts the log writer's writes, however many members there are.
"""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.demand.reports.figures.counters import Counters
from plimsoll.demand.reports.figures.known import Known, added, named_together, ratio

_LOOSENESS_MAX = 0.05
"""A rate that is printed less exactly than this is taken from elsewhere."""
_BLOCK_BYTES = (512, 1024, 2048, 4096)

REQUESTS = "requests to files of the log, each member's counted"
BY_LGWR = "writes of the log writer, each member's counted; a few of them may be to control files"
WRITES = "writes of the log writer, one for all members of the log"
_NO_AMOUNT = "the report prints no amount of redo, or rounds it to nothing"
GENERATED = "bytes of redo made; what is written is rounded up to whole blocks of the log"


@dataclass(frozen=True)
class Redo:
    """Writes of the log per second. `reasons` says why a figure is missing."""

    requests: Known | None
    bytes: Known | None
    definition: str
    reasons: dict[str, str]


def redo(counters: Counters, container: bool) -> Redo:
    """The best figures that a report has; `container` is true for a report about one of several databases."""
    for found, definition in (
        (_by_filetype(counters), REQUESTS),
        (_by_log_writer(counters), BY_LGWR),
        (counters.activity("redo writes"), WRITES),
        (counters.io_profile("Redo Requests", "write"), REQUESTS),
    ):
        if found is not None:
            return Redo(found, _bytes(counters, definition), definition, _missing_bytes(counters, definition))
    reason = (
        "the log belongs to the whole container database, and this report does not print its writes"
        if container
        else "the report prints neither redo writes nor I/O by type of file"
    )
    reasons = {"ops_per_s": reason}
    size = counters.activity("redo size") or _by_load(counters)
    if size is None:
        reasons["bytes_per_s"] = _NO_AMOUNT
    return Redo(None, size, GENERATED, reasons)


def _by_filetype(counters: Counters) -> Known | None:
    found = counters.iostat("iostat_by_filetype", "Log File", "writes_per_s")
    return found if found is not None and found.looseness <= _LOOSENESS_MAX else None


def _by_log_writer(counters: Counters) -> Known | None:
    """Statspack's detail by function."""
    parts = (
        counters.iostat("iostat_by_function", "LGWR", "small_writes"),
        counters.iostat("iostat_by_function", "LGWR", "large_writes"),
    )
    total = added([part for part in parts if part is not None], "small and large writes of LGWR")
    return counters.per_second(total)


def _bytes(counters: Counters, definition: str) -> Known | None:
    """The first source that prints it exactly enough, else the first that does not round it to nothing."""
    sources = [
        _by_same(counters, definition),
        _of_all_members(counters) if definition == REQUESTS else None,
        _in_blocks(counters),
        counters.io_profile("Redo (MB)", "write"),
        counters.activity("redo size"),
        _by_load(counters),
    ]
    found = [source for source in sources if source is not None and source.value]
    exact = (source for source in found if source.looseness <= _LOOSENESS_MAX)
    return next(exact, None) or next(iter(found), None)


def _by_same(counters: Counters, definition: str) -> Known | None:
    """Of the source that the requests are from."""
    if definition == REQUESTS:
        return counters.iostat("iostat_by_filetype", "Log File", "write_bytes_per_s")
    if definition != BY_LGWR:
        return None
    parts = (
        counters.iostat("iostat_by_function", "LGWR", "small_write_bytes"),
        counters.iostat("iostat_by_function", "LGWR", "large_write_bytes"),
    )
    return counters.per_second(added([part for part in parts if part is not None], "data written by LGWR"))


def _missing_bytes(counters: Counters, definition: str) -> dict[str, str]:
    if _bytes(counters, definition) is not None:
        return {}
    return {"bytes_per_s": _NO_AMOUNT}


def _in_blocks(counters: Counters) -> Known | None:
    """Blocks of the log times their size, which follows from what they hold."""
    rate, blocks = counters.activity("redo blocks written"), counters.activity_total("redo blocks written")
    size, wastage = counters.activity_total("redo size"), counters.activity_total("redo wastage")
    if rate is None or blocks is None or size is None or not blocks.value:
        return None
    filled = (size.value + (0.0 if wastage is None else wastage.value)) / blocks.value
    block_bytes = next((known for known in _BLOCK_BYTES if filled <= known), None)
    if block_bytes is None:
        return None
    how = f"{rate.how} × {block_bytes} bytes a block of the log, for {filled:,.0f} are in each"
    found = rate.times(block_bytes, how)
    others = (size,) if wastage is None else (size, wastage)
    return Known(
        found.value, found.slack, found.source, found.cells + tuple(c for o in others for c in o.cells), how
    )


def _of_all_members(counters: Counters) -> Known | None:
    """Bytes of one member times the requests for each write: a log so little written is not split into several requests."""
    size, writes = _in_blocks(counters), counters.activity("redo writes")
    requests = _by_filetype(counters)
    members = None if requests is None or writes is None else ratio(requests, writes, "")
    if size is None or members is None:
        return None
    how = f"{size.how}, × {members.value:.2f} requests for each write of the log writer"
    cells = size.cells + members.cells
    source = named_together((size, members))
    return Known(size.value * members.value, size.slack * members.value, source, cells, how)


def _by_load(counters: Counters) -> Known | None:
    return counters.load("Redo size", "Redo size (bytes)")
