"""All reads, or all writes, of an interval: what each section of a report says, and which of them is taken.

Instance Activity, IOStat and the IO Profile count every request of the database; the Load Profile, statistics of 10g and
Tablespace IO count those for data and temporary files only. Where two of the first kind differ, the higher one that is
possible is taken, so that no demand is understated; both cells are named.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from plimsoll.facts import ReportedDoubt
from plimsoll.reports.figures.counters import Counters, Op
from plimsoll.reports.figures.quantity import Quantity, added, agree, less

COUNTERS_DIFFER_SHARE_MAX = 0.02
"""IOStat and the statistics are counted apart and read one after the other, so busy databases show a little difference."""
ROUNDING_SHARE_MAX = 0.001
"""Figures of one counter agree but for rounding, that of the elapsed time among it."""
LARGE_BYTES_MIN = 128 * 1024
"""From here on a request is a large one."""
REQUEST_BYTES_MIN = 512
"""No device takes less than a sector."""


@dataclass(frozen=True)
class Total:
    """What one section says. `whole` is false where it leaves out control files, logs, backups and other files."""

    requests: Quantity | None
    bytes: Quantity | None
    whole: bool
    at_least: bool = False
    """Whether the section counts only a part of the requests that it is about."""
    definition: str = ""
    summed: bool = False
    """Whether the section prints no sum of its own: rows may be missing in it."""


@dataclass(frozen=True)
class Choice:
    """The total that is taken, and what speaks against it. `split` is the one whose small and large requests are printed."""

    total: Total | None
    split: Total | None
    doubts: tuple[ReportedDoubt, ...] = ()


def choose(counters: Counters, op: Op, block: Quantity | None) -> Choice:
    """The best total of reads or writes."""
    activity = _activity(counters, op)
    found = [_profile(counters, op), *(_iostat(counters, op, view) for view in _VIEWS)]
    doubts = [doubt for total in found if total is not None and (doubt := _impossible(total, op)) is not None]
    profile, *measured = [None if total is None or _impossible(total, op) else total for total in found]
    possible = [total for total in measured if total is not None]
    if activity is None:
        others = [*possible, *([] if profile is None else [profile]), *_partial(counters, op, block)]
        return Choice(others[0] if others else None, None, tuple(doubts))
    beside = [(total, COUNTERS_DIFFER_SHARE_MAX) for total in possible if not total.summed]
    beside += [] if profile is None else [(profile, ROUNDING_SHARE_MAX)]
    taken = activity
    for other, _ in beside:
        if _is_more(other, taken):
            taken = other
    for other, share in beside:
        doubts += _differences(activity, other, taken, op, share)
    return Choice(_with_bytes(taken, activity, op), activity, tuple(doubts))


_VIEWS = ("iostat_by_filetype", "iostat_by_function")


def _activity(counters: Counters, op: Op) -> Total | None:
    requests = counters.activity(f"physical {op} total IO requests")
    if requests is None:
        return None
    return Total(requests, counters.activity(f"physical {op} total bytes"), whole=True)


def _iostat(counters: Counters, op: Op, view: str) -> Total | None:
    """The row of the sum, or the sum of the rows."""
    requests, size = f"{op}s_per_s", f"{op}_bytes_per_s"
    printed = counters.iostat(view, "total", requests)
    if printed is not None:
        return Total(printed, counters.iostat(view, "total", size), whole=True)
    summed = _summed(counters, view, requests)
    if summed is None:
        return None
    return Total(summed, _summed(counters, view, size), whole=True, summed=True)


def _summed(counters: Counters, view: str, column: str) -> Quantity | None:
    rows = counters.iostat_rows(view)
    found = [counters.evidence.number(view, row, column) for row in rows]
    return added([known for known in found if known is not None], "sum of the rows")


def _profile(counters: Counters, op: Op) -> Total | None:
    requests = counters.io_profile("Total Requests", op)
    if requests is None:
        return None
    return Total(requests, counters.io_profile("Total (MB)", op), whole=True)


def _partial(counters: Counters, op: Op, block: Quantity | None) -> Iterator[Total]:
    """Sections that count I/O of data and temporary files only, the best first."""
    blocks = counters.activity(f"physical {op}s") or counters.load(
        f"Physical {op}s", f"Physical {op} (blocks)"
    )
    size = counters.activity(f"physical {op} bytes") or _in_bytes(blocks, block)
    requests = counters.activity(f"physical {op} IO requests") or counters.load(
        f"{op.capitalize()} IO requests"
    )
    if requests is not None:
        yield Total(requests, size, whole=False, definition=_DATA_ONLY)
    requests = _of_tablespaces(counters, op)
    if requests is not None:
        yield Total(requests, size, whole=False, definition=_DATA_ONLY)
    requests = _of_waits(counters) if op == "read" else None
    if requests is not None:
        yield Total(requests, size, whole=False, at_least=True, definition=_WAITED_FOR)
    if size is not None:
        yield Total(None, size, whole=False, definition=_DATA_ONLY)


_DATA_ONLY = "I/O of data and temporary files; that of control files, logs and backups is not counted"
_WAITED_FOR = "reads that were waited for one by one; direct reads and others are not counted"


def _in_bytes(blocks: Quantity | None, block: Quantity | None) -> Quantity | None:
    if blocks is None or block is None:
        return None
    words = f"{blocks.how} × {block.value:,.0f} bytes a block"
    return blocks.times(block.value, words)


def _of_tablespaces(counters: Counters, op: Op) -> Quantity | None:
    rows = counters.evidence.rows("tablespace_io")
    found = [counters.evidence.number("tablespace_io", row, f"{op}s", exact=True) for row in rows]
    total = added([known for known in found if known is not None], "sum over the tablespaces")
    divided = counters.per_second(total)
    if divided is not None or total is None:
        return divided
    rates = [counters.evidence.number("tablespace_io", row, f"{op}s_per_s") for row in rows]
    return added([known for known in rates if known is not None], "sum over the tablespaces")


def _of_waits(counters: Counters) -> Quantity | None:
    events = ("db file sequential read", "db file scattered read")
    found = [counters.evidence.find("foreground_waits", "event", event, "waits") for event in events]
    total = added([known for known in found if known is not None], "waits for single and several blocks")
    return counters.per_second(total)


def _impossible(total: Total, op: Op) -> ReportedDoubt | None:
    """Requests that would be smaller than a sector: counters of Exadata are known for it."""
    requests, size = total.requests, total.bytes
    if requests is None or size is None:
        return None
    if not is_impossible(requests, size):
        return None
    message = (
        f"{requests.source} prints {requests.value:,.1f} {op}s per second of {size.value / requests.value:,.1f} bytes each, "
        "which cannot be: it is not used"
    )
    return ReportedDoubt(code="requests-impossible", message=message, cells=requests.cells + size.cells)


def is_impossible(requests: Quantity | None, size: Quantity | None) -> bool:
    """Whether there are more requests than the bytes could be of."""
    if requests is None or size is None or not size.value:
        return False
    return size.value + size.slack < REQUEST_BYTES_MIN * (requests.value - requests.slack)


def _with_bytes(taken: Total, activity: Total, op: Op) -> Total:
    """Where the section that is taken prints no bytes, with those of Instance Activity, if they are enough for its requests."""
    if taken.bytes is not None:
        return taken
    both = replace(taken, bytes=activity.bytes)
    return taken if _impossible(both, op) else both


def _differences(one: Total, other: Total, taken: Total, op: Op, share: float) -> Iterator[ReportedDoubt]:
    """What two sections say about the same requests, or about their bytes, where it is not the same; and which is `taken`."""
    assert taken.requests is not None, "it is one of those that have requests"
    for what, first, second in (
        (f"{op}s per second", one.requests, other.requests),
        (f"bytes of {op}s per second", one.bytes, other.bytes),
    ):
        if first is not None and second is not None and not agree(first, second, share):
            said = f"{first.source} says {first.value:,.2f} {what}, and {second.source} {second.value:,.2f}"
            message = f"{said}; {taken.requests.source} is taken"
            yield ReportedDoubt(code="sources-differ", message=message, cells=first.cells + second.cells)
            return


def _is_more(other: Total, taken: Total) -> bool:
    if other.requests is None or taken.requests is None:
        return False
    surplus = less(other.requests, [taken.requests], "")
    return surplus.value > surplus.slack + COUNTERS_DIFFER_SHARE_MAX * other.requests.value


def block_size(counters: Counters, op: Op, header_bytes: int | None) -> Quantity | None:
    """Bytes of a block as it is on average read or written, else the database's own; tablespaces may have others."""
    size = counters.activity_total(f"physical {op} bytes")
    blocks = counters.activity_total(f"physical {op}s")
    if size is not None and blocks is not None and blocks.value and size.value:
        value = size.value / blocks.value
        return Quantity(value, 0.0, size.source, size.cells + blocks.cells, "bytes ÷ blocks")
    return None if header_bytes is None else Quantity(float(header_bytes), 0.0, "the report's head", ())
