"""The log: how often it is written, and how much at a time.

A request is one write to one file of the log, so a log with two members has two for each write of the log writer. IOStat counts
such requests; the statistic `redo writes` counts the log writer's writes, however many members there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from plimsoll.base.units import format_share
from plimsoll.reports.figures.counters import Counters
from plimsoll.reports.figures.evidence import plain
from plimsoll.reports.figures.quantity import Quantity, added, named_together, ratio
from plimsoll.reports.figures.totals import LARGE_BYTES_MIN

_LOOSENESS_MAX = 0.05
"""A rate that is printed less exactly than this is taken from elsewhere."""
_BLOCK_BYTES = (512, 1024, 2048, 4096)
_SIZE_COUNT = "redo write size count"
_LARGE_SIZES = (" 256KB", " 512KB", "1024KB", "inf")
"""Counted are writes up to so long, from 12.1 on; the count before these is of those from 64 to 128 KB."""

REQUESTS = "requests to files of the log, each member's counted"
BY_LGWR = "writes of the log writer, each member's counted; a few of them may be to control files"
WRITES = "writes of the log writer, one for all members of the log"
_NO_AMOUNT = "the report prints no amount of redo, or rounds it to nothing"
GENERATED = "bytes of redo made; what is written is rounded up to whole blocks of the log"


@dataclass(frozen=True)
class Redo:
    """Writes of the log per second. `reasons` says why a figure is missing."""

    requests: Quantity | None
    bytes: Quantity | None
    definition: str
    reasons: dict[str, str]
    large: Quantity | None = None
    """Those of `requests` that move 128 KiB or more; None where the report does not tell."""


def redo(counters: Counters, container: bool) -> Redo:
    """The best figures that a report has; `container` is true for a report about one of several databases."""
    for found, definition in (
        (_by_filetype(counters), REQUESTS),
        (_by_log_writer(counters), BY_LGWR),
        (counters.activity("redo writes"), WRITES),
        (counters.io_profile("Redo Requests", "write"), REQUESTS),
    ):
        if found is not None:
            size = _bytes(counters, definition)
            reasons = {} if size is not None else {"bytes_per_s": _NO_AMOUNT}
            return Redo(found, size, definition, reasons, _large(counters, found, size))
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


def _by_filetype(counters: Counters) -> Quantity | None:
    found = counters.iostat("iostat_by_filetype", "Log File", "writes_per_s")
    return found if found is not None and found.looseness <= _LOOSENESS_MAX else None


def _by_log_writer(counters: Counters) -> Quantity | None:
    """Statspack's detail by function."""
    parts = (
        counters.iostat("iostat_by_function", "LGWR", "small_writes"),
        counters.iostat("iostat_by_function", "LGWR", "large_writes"),
    )
    total = added([part for part in parts if part is not None], "small and large writes of LGWR")
    return counters.per_second(total)


def _bytes(counters: Counters, definition: str) -> Quantity | None:
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


def _by_same(counters: Counters, definition: str) -> Quantity | None:
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


def _large(counters: Counters, requests: Quantity, size: Quantity | None) -> Quantity | None:
    """Large requests: as Statspack's detail counts them, else in the share of `redo write size count`, else by their mean."""
    share = _share_of_log_writer(counters) or _share_by_size(counters)
    if share is not None:
        how = f"{requests.how}, {format_share(share.value, 2)} of which are large: {share.how}"
        slack = requests.slack * share.value + share.slack * requests.value
        source = named_together((requests, share))
        return Quantity(requests.value * share.value, slack, source, requests.cells + share.cells, how)
    mean = None if size is None else ratio(size, requests, "bytes ÷ requests")
    if mean is None or mean.value < LARGE_BYTES_MIN:
        return None
    return requests.said(
        f"{requests.how}, all of them large: they move {mean.value / 1024:,.0f} KiB on average"
    )


def _share_of_log_writer(counters: Counters) -> Quantity | None:
    large, small = (
        counters.iostat("iostat_by_function", "LGWR", f"{sort}_writes") for sort in ("large", "small")
    )
    if large is None or small is None:
        return None
    together = added([large, small], "small and large writes of LGWR")
    return None if together is None else ratio(large, together, "large ÷ all writes of LGWR")


def _share_by_size(counters: Counters) -> Quantity | None:
    """Of the log writer's writes those that are longer than 128 KiB; sizes of which there were none may not be printed."""
    found = [counters.activity_total(f"redo write size count ({words})") for words in _LARGE_SIZES]
    writes = counters.activity_total("redo writes")
    large = added([known for known in found if known is not None], "")
    if writes is None or not writes.value:
        return None
    if large is None:
        is_told = any(
            _SIZE_COUNT in plain(row["statistic"]) for row in counters.evidence.rows("instance_activity")
        )
        large = Quantity(0.0, 0.0, writes.source, (), "") if is_told else None
    share = None if large is None else ratio(large, writes, "redo write size count over 128 KB ÷ redo writes")
    return None if share is None else replace(share, value=min(1.0, share.value))


def _in_blocks(counters: Counters) -> Quantity | None:
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
    return Quantity(
        found.value, found.slack, found.source, found.cells + tuple(c for o in others for c in o.cells), how
    )


def _of_all_members(counters: Counters) -> Quantity | None:
    """Bytes of one member times the requests for each write: a log so little written is not split into several requests."""
    size, writes = _in_blocks(counters), counters.activity("redo writes")
    requests = _by_filetype(counters)
    members = None if requests is None or writes is None else ratio(requests, writes, "")
    if size is None or members is None:
        return None
    how = f"{size.how}, × {members.value:.2f} requests for each write of the log writer"
    cells = size.cells + members.cells
    source = named_together((size, members))
    return Quantity(size.value * members.value, size.slack * members.value, source, cells, how)


def _by_load(counters: Counters) -> Quantity | None:
    return counters.load("Redo size", "Redo size (bytes)")
