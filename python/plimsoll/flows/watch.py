"""`plimsoll watch`: who does which I/O on this host, to which file, how large and how late, until it is ended."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.base.nearest import did_you_mean
from plimsoll.base.units import format_share
from plimsoll.context import Context
from plimsoll.demand.pacing import Pace
from plimsoll.facts import Note, Run, Tick, Watch
from plimsoll.flows.record import get_ready, record
from plimsoll.native import block_probe
from plimsoll.observe.block_io import BlockWatch
from plimsoll.observe.device_check import UNCLEAR, Counters
from plimsoll.observe.tally import OTHERS, ROWS_MAX, Wanted
from plimsoll.observe.watching import Step, Watching
from plimsoll.requests.watch import WatchRequest

LOOK_S_MAX = 1.0
"""The kernel has room for some thousand rows between two looks."""
TICK_ROWS_MAX = 100
"""Rows of a live event: nobody reads more of them in a second."""
_STAGE = "watch"
_UNTITLED = "postgres"
"""The role of a process of PostgreSQL whose title was not read."""


def watch_io(ctx: Context, asked: WatchRequest) -> Run:
    """Watches, stores and returns the run; ended early, it holds what was seen until then.

    Raises UsageError `disk-unknown`, and what the start of the probe raises.
    """
    started_at = ctx.clock.now()
    wanted = _wanted(asked, Counters())
    probe = block_probe.start()
    try:
        found = watched(ctx, asked, Watching(BlockWatch(probe), ctx.clock, wanted))
    finally:
        probe.stop()
    parts: dict[str, Any] = {"watch": found, "notes": found.notes, "interrupted": ctx.cancel.is_set}
    return record(ctx, "watch", "I/O of this host by owner and file", started_at, **parts)


def watched(ctx: Context, asked: WatchRequest, watching: Watching) -> Watch:
    """What was seen until the time is over, somebody ends it, or the probe can no longer be read.

    Raises `probe-unread` where it never could be.
    """
    watching.begin()
    get_ready()
    try:
        _look(ctx, asked, watching)
        found = watching.end()
    except PlimsollError as error:
        if error.id != "probe-unread":
            raise
        found = watching.broken_off(error.message)
    ctx.progress(_STAGE, "watched", finished=True)
    return found.but(notes=tuple(_notes(found, watching)))


def _look(ctx: Context, asked: WatchRequest, watching: Watching) -> None:
    """Looks often and tells as often as is asked for."""
    looks = math.ceil(asked.every_s / LOOK_S_MAX)
    pace = Pace(ctx, asked.every_s / looks, asked.watched_s, _STAGE)
    for number, _ in enumerate(pace.steps(), start=1):
        watching.look()
        if pace.is_last or number % looks == 0:
            _tell(ctx, watching.step(), asked.watched_s)


def _wanted(asked: WatchRequest, counters: Counters) -> Wanted:
    """Raises UsageError `disk-unknown`."""
    names = tuple(name.removeprefix("/dev/") for name in asked.devices)
    known = sorted(counters.read())
    for name in names:
        if name not in known:
            hint = f"{did_you_mean(name, known)}Name a whole disk by the kernel's name; lsblk lists them."
            raise UsageError("disk-unknown", f"the kernel counts at no disk of the name {name}", hint)
    return Wanted(names, asked.roles, asked.files)


def _tell(ctx: Context, step: Step, watched_s: float | None) -> None:
    """Who did what since the tick before."""
    shown = step.rows[:TICK_ROWS_MAX]
    ctx.tick(
        Tick(
            stage=_STAGE,
            elapsed_s=step.elapsed_s,
            duration_s=step.duration_s,
            left_s=None if watched_s is None else max(0.0, watched_s - step.elapsed_s),
            iops=sum(row.iops for row in step.rows),
            mb_per_s=sum(row.mb_per_s for row in step.rows),
            rows=tuple(row.but(latency_us=row.latency_us.but(hdr=None)) for row in shown),
            more_rows=len(step.rows) - len(shown),
        )
    )


def _notes(found: Watch, watching: Watching) -> Iterator[Note]:
    """What is missing, and what could not be named."""
    yield from _held(found)
    if found.broken_off is not None:
        message = f"it ended before its time, and what was counted after the last reading is missing: {found.broken_off}"
        yield Note(code="watch-broken-off", message=message)
    if found.lost_ios:
        message = f"{found.lost_ios:,} I/Os are in no row: the kernel had no room for more of them"
        yield Note(code="ios-lost", message=message)
    if watching.first.begin is None:
        message = (
            "this kernel does not tell who made a request (Linux 5.11 does of most, 6.5 of all):"
            " rows name who handed it to the disk"
        )
        yield Note(code="owners-at-issue", message=message)
    if watching.tally.folded:
        message = f"there were more than {ROWS_MAX:,} rows: {watching.tally.folded:,} I/Os are in rows of the role {OTHERS}"
        yield Note(code="rows-folded", message=message)
    untitled = [row for row in found.rows if row.role == _UNTITLED]
    if untitled:
        ios = sum(row.ios for row in untitled)
        message = f"{ios:,} I/Os are of processes of PostgreSQL that ended before their title was read: their role is {_UNTITLED}"
        yield Note(code="owners-gone", message=message)
    yield from _nameless(found)


def _held(found: Watch) -> Iterator[Note]:
    """Where what was seen is not what the kernel counts, or nobody can say."""
    for device in found.devices:
        if device.held is False:
            message = f"what was seen at {device.device} is not what the kernel counts there: {device.reason}"
            yield Note(code="counts-differ", message=message)
        elif device.reason.startswith(UNCLEAR):
            yield Note(code="counts-unclear", message=f"at {device.device} {device.reason}")


def _nameless(found: Watch) -> Iterator[Note]:
    """Files whose path nobody could tell."""
    of_files = [row for row in found.rows if row.file_kind == "inode"]
    ios, nameless = sum(row.ios for row in of_files), sum(row.ios for row in of_files if row.file is None)
    if nameless:
        message = (
            f"of {format_share(nameless / ios)} of the I/Os of the page cache the file is known by its number alone: no process"
            " was found to have it open by a name that leads to it from here"
        )
        yield Note(code="files-nameless", message=message)
