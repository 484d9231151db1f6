"""Who did which I/O, to which file, how large and how late."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import (
    format_bytes,
    format_count,
    format_mb,
    format_rate,
    format_seconds,
    format_share,
    format_us,
)
from plimsoll.charts import Table
from plimsoll.facts import (
    BindingLimit,
    Run,
    Tick,
    Watch,
    WatchedCall,
    WatchedDevice,
    WatchedGroup,
    WatchedIo,
)
from plimsoll.facts.watch import WatchedOperation, WatchWord, added_up, counted_as_ios, counted_once, moving
from plimsoll.results._blocks import Block, Figure, Grid, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind
from plimsoll.results._watch_groups import (
    call_groups_grid,
    groups_grid,
    groups_table,
    latency_words,
    with_belongs,
)
from plimsoll.results._words import sentence

ROWS_SHOWN_MAX = 20
_ON_PAGE_MAX = 500
_LOST_WHERE_FAILED: tuple[WatchedOperation, ...] = ("read", "write", "flush-request", "flush")
_KERNEL = "kernel"
_IO_WORKER = "io worker"
"""Of PostgreSQL 18 and later: it asks for nothing by itself, and for whom the I/Os of this row were is not known."""
_NONE = "–"
_COLUMNS = (
    "who", "operation", "disk", "I/Os per s", "MB/s", "mean size", "errors", "wait before", "p50", "p99", "p99.9", "file",
)  # fmt: skip
_NUMERIC = (*(False,) * 3, *(True,) * 8, False)
_SPARE = ("errors", "p99.9", "wait before", "disk", "mean size", "p50", "MB/s", "p99")
"""The file stays: rows that differ by nothing else would look alike."""
_HEADLINE_PARTS_MAX = 4
"""Of a path, as base/5/16384 of a PostgreSQL: a headline of three lines is none."""
_CALL_COLUMNS = (
    "who", "call", "how", "calls per s", "MB/s", "mean size", "errors", "from cache", "p50", "p99", "p99.9", "file",
)  # fmt: skip
_CALL_NUMERIC = (*(False,) * 3, *(True,) * 8, False)
_CALL_SPARE = ("errors", "p99.9", "mean size", "how", "p50", "MB/s", "p99")
_HELD = {True: "yes", False: "no", None: "unknown"}


def _answer(found: Watch) -> str:
    if not found.rows:
        among = sum(device.ios for device in found.devices)
        what = f"none of {among:,} I/Os is what was asked for" if among else "no I/O was seen"
        calls = sum(row.calls_per_s for row in found.calls or ())
        beside = f"; {format_rate(calls)} calls on files per second" if calls else ""
        return f"{what} in {format_seconds(found.duration_s)}{beside}{_doubts_said(found)}"
    iops, mb_per_s = _rates(found)
    return (
        f"{format_rate(iops)} I/Os per second, {format_mb(mb_per_s)} MB/s; most by {_most(found)}{_left_out(found)}"
        f"{_doubts_said(found)}"
    )


def _rates(found: Watch) -> tuple[float, float]:
    """I/Os and MB per second, each I/O once."""
    summed = added_up(found.rows)
    return sum(row.iops for row in summed), sum(row.mb_per_s for row in moving(summed))


def _most(found: Watch) -> str:
    """Who did most in all of his rows together, and what most of that was; where none of them is added up, of all."""
    summed, ios = added_up(found.rows) or found.rows, Counter[str]()
    for row in summed:
        ios[row.role] += row.ios
    first = next(row for row in summed if row.role == ios.most_common(1)[0][0])
    is_disk = first.role == _KERNEL and first.file_kind != "inode"
    where = f" of {first.device}" if is_disk else _of_file(first)
    return f"{_doer(first)}: {first.operation}{where}"


def _doer(row: WatchedIo) -> str:
    """The role; the kernel for whatever it was."""
    return _KERNEL if row.role == _KERNEL else who(row)


def _left_out(found: Watch) -> str:
    """What is in rows and not in the sums, as it is seen at other disks too."""
    once = {row.device for row in counted_once(found.rows)}
    again = counted_as_ios(row for row in found.rows if row.device not in once)
    if not again:
        return ""
    iops = format_rate(sum(row.ios for row in again) / found.duration_s)
    where = ", ".join(sorted({row.device for row in again}))
    lie_above = any(not once.isdisjoint(row.above) for row in again)
    return f"; beside these {iops} at {where}, {'which lie on those disks' if lie_above else 'where they are seen again'}"


def _of_file(row: WatchedIo) -> str:
    if row.file is None:
        return f" of {file_of(row)}" if row.file_kind == "inode" else ""
    return f" of {row.relation or _end_of(row.file)}"


def _end_of(path: str) -> str:
    """What tells a file apart; the table has all of it."""
    parts = path.split("/")
    return path if len(parts) <= _HEADLINE_PARTS_MAX else "/".join(("…", *parts[-_HEADLINE_PARTS_MAX + 1 :]))


def _doubts(found: Watch) -> Iterator[str]:
    """What speaks against the rows."""
    off = [device.device for device in found.devices if device.held is False]
    if off:
        yield f"not valid: the kernel counts otherwise at {', '.join(off)}"
    if failed := _failed(found):
        ios = sum(row.errors for row in failed)
        whose = ", ".join(dict.fromkeys(map(_doer, failed)))
        yield f"{ios:,} {'I/O' if ios == 1 else 'I/Os'} failed, of {whose}"
    if found.lost_ios:
        yield f"{found.lost_ios:,} I/Os are missing"
    if unseen := _unseen(found):
        yield f"I/O at {', '.join(unseen)} cannot be seen"
    if found.lost_calls:
        yield f"{found.lost_calls:,} calls are missing"
    if found.broken_off is not None:
        yield "it ended before its time"


def _failed(found: Watch) -> list[WatchedIo]:
    """Rows with I/Os that failed, each once: a flush fails with who asked for it, and beneath a disk another may have.

    What a disk refuses of what no database asks for, such as a look at its health, has lost nothing, and neither has a discard.
    """
    asked = [row for row in found.rows if row.operation in _LOST_WHERE_FAILED]
    once = counted_once(asked)
    of_some = ([row for row in rows if row.errors] for rows in (counted_as_ios(once), once, asked))
    return next((rows for rows in of_some if rows), [])


def _doubts_said(found: Watch) -> str:
    return "".join(f"; {doubt}" for doubt in _doubts(found))


def _unseen(found: Watch) -> list[str]:
    """Disks at which the kernel counts, and the probe sees nothing."""
    blind = (one for one in found.devices if one.held is None and one.bytes_counted is None)
    return [one.device for one in blind if one.ios_counted and not one.ios]


def _status(run: Run) -> ExitStatus:
    """130 interrupted, 1 where both counts differ or I/Os failed, 5 where I/Os are missing or cannot be seen, it broke off, or
    there were none."""
    found: Watch = run.results["watch"]
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if any(device.held is False for device in found.devices) or _failed(found):
        return ExitStatus.ANSWER_IS_NO
    is_part = (
        found.lost_ios
        or found.lost_calls
        or _unseen(found)
        or not (found.rows or found.calls)
        or found.broken_off is not None
        or found.relations_unknown_because is not None
    )
    return ExitStatus.DONE_IN_PART if is_part else ExitStatus.DONE


def who(row: WatchedIo) -> str:
    """The role; of what no process asked for, what the kernel did it for."""
    if row.role == _IO_WORKER:
        return f"{_IO_WORKER} for others"
    if row.role != _KERNEL:
        return row.role
    return f"{_KERNEL} for {row.relation or (os.path.basename(row.file) if row.file else row.device)}"


def file_of(row: WatchedIo) -> str:
    """The relation, else the path, else what is known in its place."""
    if row.file is not None:
        return row.relation or row.file
    if row.file_kind == "inode":
        return f"inode {row.inode_number}"
    if row.file_kind == "device":
        return f"{row.device} itself"
    return "unknown" if row.operation in ("read", "write") else _NONE


def _disk_of(row: WatchedIo) -> str:
    return f"{row.device} on {', '.join(row.above)}" if row.above else row.device


def rows_table(rows: Sequence[WatchedIo], by: Sequence[WatchWord] = ()) -> Table:
    """The rows as people see them, live and afterwards, with what they belong to where that is asked for."""
    return with_belongs(Table(_COLUMNS, tuple(map(_row, rows)), _NUMERIC, _SPARE), rows, by)


def live_table(tick: Tick) -> Table:
    """What is seen while it lasts: the rows put together, where that is asked for, else the rows."""
    return groups_table(tick.groups, tick.by) if tick.by else rows_table(tick.rows)


def _grid(rows: Sequence[WatchedIo], by: Sequence[WatchWord], shown: int, folded: bool = False) -> Grid:
    """The first of them, without columns that say nothing of all: no I/O failed, or there is one disk, which the caption names."""
    few = rows[:shown]
    disks = {_disk_of(row) for row in rows}
    silent = {"errors"} if not any(row.errors for row in rows) else set[str]()
    silent |= {"disk"} if len(disks) == 1 else set()
    table = rows_table(few, by).without(silent)
    first = f", the first {shown:,} of {len(rows):,}" if len(rows) > shown else ""
    at = f" at {next(iter(disks))}" if len(disks) == 1 else ""
    return Grid(
        f"Who did what{at}{first}; latency is the disk's, behind the wait before", table, folded=folded
    )


def _row(row: WatchedIo) -> tuple[str, ...]:
    latency = row.latency_us
    return (
        who(row),
        row.operation,
        _disk_of(row),
        format_rate(row.iops),
        format_mb(row.mb_per_s),
        _NONE if row.size_bytes_mean is None else format_bytes(row.size_bytes_mean),
        f"{row.errors:,}",
        format_us(row.queue_us_mean),
        *map(latency_words, (latency.p50, latency.p99, latency.p999)),
        file_of(row),
    )


def _blocks(run: Run) -> list[Block]:
    """The rows, and both counts beside each other."""
    found: Watch = run.results["watch"]
    blocks: list[Block] = [Words(sentence(_answer(found)))]
    if found.groups:
        blocks.append(groups_grid(found, ROWS_SHOWN_MAX))
    if found.call_groups:
        blocks.append(call_groups_grid(found, ROWS_SHOWN_MAX))
    if found.rows:
        blocks.append(_grid(found.rows, found.by, ROWS_SHOWN_MAX))
    if found.calls:
        blocks.append(_calls(found.calls, found.by, ROWS_SHOWN_MAX))
    if found.limits:
        blocks.append(_limits(found.limits))
    if found.devices:
        blocks.append(_devices(found.devices))
    return blocks


def _calls(calls: Sequence[WatchedCall], by: Sequence[WatchWord], shown: int, folded: bool = False) -> Grid:
    """The first of them; columns that say nothing of all are left out."""
    first = f", the first {shown:,} of {len(calls):,}" if len(calls) > shown else ""
    silent = set[str]() if any(one.errors for one in calls) else {"errors"}
    silent |= set[str]() if any(map(_how, calls)) else {"how"}
    few = calls[:shown]
    table = with_belongs(
        Table(_CALL_COLUMNS, tuple(map(_call_row, few)), _CALL_NUMERIC, _CALL_SPARE), few, by
    )
    caption = f"What programs called for{first}; latency is the call's, from begin to end"
    return Grid(caption, table.without(silent), folded=folded)


def _call_row(one: WatchedCall) -> tuple[str, ...]:
    latency = one.latency_us
    return (
        one.role,
        one.operation,
        _how(one),
        format_rate(one.calls_per_s),
        format_mb(one.mb_per_s),
        _NONE if one.size_bytes_mean is None else format_bytes(one.size_bytes_mean),
        f"{one.errors:,}",
        _NONE if one.cached_share is None else format_share(one.cached_share),
        *map(latency_words, (latency.p50, latency.p99, latency.p999)),
        one.relation or one.file or f"inode {one.inode_number}",
    )


def _how(one: WatchedCall) -> str:
    """How the file was opened, where that is not the usual way."""
    return ", ".join(
        word for word, is_so in (("direct", one.is_direct), ("sync", one.is_synchronous)) if is_so
    )


def _limits(limits: Sequence[BindingLimit]) -> Grid:
    columns = ("limit", "of", "allows", "most used", "looks", "what lifts it")
    rows = tuple(
        (
            one.name,
            one.of or "the host",
            _amount(one, one.value),
            _amount(one, one.used_max),
            f"{one.looks:,}" + ("" if one.looked is None else f" of {one.looked:,}"),
            one.advice,
        )
        for one in limits
    )
    numeric = (False, False, True, True, True, False)
    return Grid("Limits that held I/O back", Table(columns, rows, numeric, ("looks",)))


def _amount(limit: BindingLimit, value: int) -> str:
    """With its unit where that is not said by the limit's name."""
    if limit.unit == "ios_per_s":
        return f"{value:,} per second"
    if limit.unit == "bytes_per_s":
        return f"{format_bytes(value)} per second"
    return format_bytes(value) if limit.unit == "bytes" else f"{value:,}"


def _devices(devices: Sequence[WatchedDevice]) -> Grid:
    columns = ("disk", "I/Os", "counted", "MB", "counted", "flushes", "counted", "the same", "what was found")
    rows = tuple(
        (
            one.device, f"{one.ios:,}", format_count(one.ios_counted), format_mb(one.bytes / 1e6),
            "unknown" if one.bytes_counted is None else format_mb(one.bytes_counted / 1e6), f"{one.flushes:,}",
            format_count(one.flushes_counted), _HELD[one.held], one.reason,
        )
        for one in devices
    )  # fmt: skip
    numeric = (False, *(True,) * 6, False, False)
    return Grid(
        "What was seen, and what the kernel counts", Table(columns, rows, numeric, ("what was found",))
    )


def _figures(run: Run) -> list[Quantity]:
    """Neither more nor less of it is better."""
    iops, mb_per_s = _rates(run.results["watch"])
    return [
        Quantity("watch.iops", "I/Os per second", "per_s", iops, None),
        Quantity("watch.mb_per_s", "MB per second", "mb_per_s", mb_per_s, None),
    ]


def _work(run: Run) -> dict[str, str]:
    found: Watch = run.results["watch"]
    return {"disks": ", ".join(device.device for device in found.devices)}


def _on_page(run: Run) -> list[Block]:
    """The course of it, and more of the rows."""
    from plimsoll.charts.watch_over_time import STRETCHES_MIN  # a watch has no page while it lasts

    found: Watch = run.results["watch"]
    is_long = len({one.begin_s for one in found.course}) >= STRETCHES_MIN
    blocks: list[Block] = [Figure("watch-over-time")] if is_long else []
    if any(row.latency_us.count for row in found.rows):
        blocks.append(Figure("latency-by-file"))
    if len(found.groups) > ROWS_SHOWN_MAX:
        blocks.append(groups_grid(found, _ON_PAGE_MAX, folded=True))
    if len(found.call_groups) > ROWS_SHOWN_MAX:
        blocks.append(call_groups_grid(found, _ON_PAGE_MAX, folded=True))
    if len(found.rows) > ROWS_SHOWN_MAX:
        blocks.append(_grid(found.rows, found.by, _ON_PAGE_MAX, folded=True))
    if found.calls is not None and len(found.calls) > ROWS_SHOWN_MAX:
        blocks.append(_calls(found.calls, found.by, _ON_PAGE_MAX, folded=True))
    return blocks


RESULT = ResultKind(
    fact=Watch,
    rows=(WatchedGroup, WatchedIo),
    rank=24,
    answer=_answer,
    status=_status,
    title="Who did what",
    help="I/O of the host by role, file and operation, as the kernel saw it, held against its own counters.",
    page_rank=41,
    blocks=_blocks,
    on_page=_on_page,
    compared=Compared(figures=_figures, work=_work, doubts=lambda run: _doubts(run.results["watch"])),
)
