"""`plimsoll watch`: who does which I/O on this host, to which file, how large and how late, until it is ended."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.base.nearest import did_you_mean
from plimsoll.base.units import format_seconds, format_share
from plimsoll.context import Context
from plimsoll.demand.pacing import Pace
from plimsoll.facts import Fact, LatencyUs, Note, Run, Tick, Watch, WatchedIo, WatchedSize
from plimsoll.facts.watch import WatchWord, added_up, moving
from plimsoll.host.layers import Layers, kernel_name
from plimsoll.native import allocator, block_probe
from plimsoll.observe.block_io import BlockWatch
from plimsoll.observe.device_check import NO_REQUESTS, UNCLEAR, Counters
from plimsoll.observe.open_files import OpenFiles
from plimsoll.observe.roles import IO_WORKER, OTHERS
from plimsoll.observe.tally import OF_ROLE, ROWS_MAX, Tally, Wanted
from plimsoll.observe.watching import Namer, Watching
from plimsoll.requests.watch import WatchRequest

if TYPE_CHECKING:
    # What is not asked for is not loaded, and what recording takes only once rows count: the first is there sooner.
    from plimsoll.databases import AskPassword
    from plimsoll.observe.belonging import Belonging
    from plimsoll.observe.file_calls import FileCalls
    from plimsoll.observe.limits import LimitWatch
    from plimsoll.observe.relations import Relations

LOOK_S_MAX = 1.0
"""The kernel has room for some thousand rows between two looks."""
LIMIT_LOOK_S = 0.1
"""What is used of a limit is known of single moments alone."""
TICK_ROWS_MAX = 100
"""Rows of a live event: nobody reads more of them in a second."""
UNTIMED_SHARE_MAX = 0.001
"""Less of a row's I/Os moves no percentile that is shown."""
_OF_TICKS: tuple[type[Fact], ...] = (LatencyUs, WatchedSize, WatchedIo, Tick)
"""Of which a tick is made. Pydantic builds what checks one when the first is made, if nobody has it do so before."""
_STAGE = "watch"
_ROLES_TOLD_MAX = 20
_NO_SERVERS = (
    "no process of its server was seen to have the file open, or the file alone does not tell, as a temporary one or one of all"
    " databases"
)
_UNKNOWN: Mapping[WatchWord, tuple[str, str]] = {
    "database": ("databases-unknown", _NO_SERVERS),
    "tablespace": ("tablespaces-unknown", f"{_NO_SERVERS}; files of Oracle say none"),
    "cgroup": (
        "cgroups-unknown",
        "the processes had ended before their group was read, or /proc does not show them to this user",
    ),
}
"""Of each thing that rows may belong to, the note's code, and why it may be unknown."""
_NAMED: Mapping[WatchWord, str] = {
    "database": "database",
    "tablespace": "tablespace",
    "cgroup": "control group",
}
BELONGS: tuple[WatchWord, ...] = ("database", "tablespace", "cgroup")
"""What takes more to be told than a row says."""


def watch_io(ctx: Context, asked: WatchRequest, ask_password: AskPassword | None = None) -> Run:
    """Watches, stores and returns the run; ended early, it holds what was seen until then.

    Raises UsageError `disk-unknown`, `disk-unseen` and `relations-database`, and what the start of the probe and the opening of a
    database raise.
    """
    store_is_ready = ctx.store.check()
    started_at = ctx.clock.now()
    places = _places(asked, Counters(), Layers())
    found = _seen(ctx, asked, places, ask_password, store_is_ready)
    found = found.but(notes=(*found.notes, *_beneath(places)))
    allocator.give_back()  # what watching took, before what it takes to record
    from plimsoll.flows.record import record

    parts: dict[str, Any] = {"watch": found, "notes": found.notes, "interrupted": ctx.cancel.is_set}
    run = record(ctx, "watch", "I/O of this host by owner and file", started_at, **parts)
    allocator.give_back()  # of the store, which reads all its views, before what it takes to print
    return run


def _seen(
    ctx: Context,
    asked: WatchRequest,
    places: dict[str, tuple[str, ...]],
    ask_password: AskPassword | None,
    store_is_ready: bool,
) -> Watch:
    """What is seen of disks, with a probe that is there meanwhile. Raises as `watch_io` does."""
    disks = tuple(dict.fromkeys(disk for found in places.values() for disk in found))
    wanted = Wanted(disks, asked.roles, asked.files, asked.databases, asked.tablespaces, asked.cgroups)
    by = cast("tuple[WatchWord, ...]", tuple(dict.fromkeys(asked.by)))
    with _relations(ctx, asked.database, ask_password) as relations:
        belonging = _belonging({*by, *wanted.belongs}, relations)
        probe = block_probe.start()
        try:
            files = OpenFiles()
            with _calls(asked, wanted, files, belonging) as calls:
                ios = BlockWatch(probe, files)
                watching = Watching(
                    ios, ctx.clock, wanted, relations=relations, calls=calls, by=by, belonging=belonging
                )
                limits = _limits() if asked.limits else None
                return watched(ctx, asked, watching, limits, store_is_ready)
        finally:
            probe.stop()


@contextmanager
def _calls(
    asked: WatchRequest, wanted: Wanted, files: OpenFiles, belonging: Belonging | None = None
) -> Iterator[FileCalls | None]:
    """What counts calls, where they are asked for. Raises what the start of its probe raises."""
    if not asked.calls:
        yield None
        return
    from plimsoll.native import call_probe
    from plimsoll.observe.file_calls import FileCalls

    probe = call_probe.start()
    try:
        yield FileCalls(probe, wanted, files, belonging)
    finally:
        probe.stop()


def _belonging(words: Collection[str], relations: Relations | None) -> Belonging | None:
    """What tells databases, tablespaces and control groups, where any of them is asked for."""
    asked: list[WatchWord] = [word for word in BELONGS if word in words]
    if not asked:
        return None
    from plimsoll.observe.belonging import Belonging
    from plimsoll.observe.server_names import ServerNames

    is_named = relations is not None and asked != ["cgroup"]
    return Belonging(asked, ServerNames(relations.server) if relations is not None and is_named else None)


def _limits() -> LimitWatch:
    from plimsoll.observe.limits import LimitWatch

    return LimitWatch()


@contextmanager
def _relations(
    ctx: Context, location: str | None, ask_password: AskPassword | None
) -> Iterator[Relations | None]:
    """What names relations, where a database is named. Raises UsageError `relations-database`, and what its opening raises."""
    if location is None:
        yield None
        return
    from plimsoll.databases import NamesFiles, open_database
    from plimsoll.observe.relations import Relations

    with open_database(ctx, location, ask_password) as connection:
        if not isinstance(connection, NamesFiles):
            message = (
                f"{connection.database.kind} does not say over a connection to which relation a file belongs"
            )
            raise UsageError(
                "relations-database", message, "Name a PostgreSQL, or leave --database out to see files."
            )
        yield Relations(connection, connection.file_places())


def watched(
    ctx: Context,
    asked: WatchRequest,
    watching: Watching,
    limits: LimitWatch | None = None,
    store_is_ready: bool = True,
) -> Watch:
    """What was seen until the time is over, somebody ends it, or the probe can no longer be read.

    Raises `probe-unread` where it never could be.
    """
    watching.begin()
    try:
        _look(ctx, asked, watching, limits, store_is_ready)
        found = watching.end()
    except PlimsollError as error:
        if error.id != "probe-unread":
            raise
        found = watching.broken_off(error.message)
    ctx.progress(_STAGE, "watched", finished=True)
    bound = None if limits is None else limits.binding()
    unseen = () if limits is None else limits.unseen
    notes = (*_notes(found, watching), *(Note(code="limits-unseen", message=words) for words in unseen))
    return found.but(notes=notes, limits=bound)


def _look(
    ctx: Context,
    asked: WatchRequest,
    watching: Watching,
    limits: LimitWatch | None,
    store_is_ready: bool,
) -> None:
    """Looks often and tells as often as is asked for."""
    looks = math.ceil(asked.every_s / LOOK_S_MAX)
    moments = 1 if limits is None else math.ceil(asked.every_s / looks / LIMIT_LOOK_S)
    moment_s = asked.every_s / looks / moments
    pace = Pace(ctx, moment_s, asked.watched_s, _STAGE)
    is_look_due, is_tick_due = _Due(moments), _Due(moments * looks)
    from plimsoll.flows.record import get_ready

    get_ready("watch", store_is_ready)  # here and below: while the first rows are counted
    for fact in _OF_TICKS:
        fact.model_rebuild()
    for _ in pace.steps():
        rows: Sequence[WatchedIo] = ()
        moment = round(pace.elapsed_s / moment_s)
        is_told = is_tick_due(moment) or pace.is_last
        if is_look_due(moment) or is_told:
            watching.look()
            rows = _tell(ctx, watching, asked.watched_s) if is_told else ()
        if limits is not None:
            limits.look(rows)


@dataclass
class _Due:
    """What is due once in so many moments, also where some of these passed while another was looked at."""

    moments: int
    _done: int = 0

    def __call__(self, moment: int) -> bool:
        """Whether it is by now, and was not yet; then it is done."""
        before, self._done = self._done, moment // self.moments
        return self._done > before


def _places(asked: WatchRequest, counters: Counters, layers: Layers) -> dict[str, tuple[str, ...]]:
    """Of each disk that is asked for, those at which its I/Os are seen. Raises UsageError `disk-unknown` and `disk-unseen`."""
    known = sorted(counters.read())
    places: dict[str, tuple[str, ...]] = {}
    for asked_name in asked.devices:
        name = kernel_name(asked_name, known)
        if name not in known:
            hint = f"{did_you_mean(name, known)}Name a whole disk by the kernel's name; lsblk lists them."
            raise UsageError("disk-unknown", f"the kernel counts at no disk of the name {name}", hint)
        places[name] = layers.first_seen(name)
        if not places[name]:
            raise UsageError(
                "disk-unseen",
                f"cannot see I/O at {name}: {NO_REQUESTS}",
                "Leave --device out to see other disks.",
            )
    return places


def _beneath(places: dict[str, tuple[str, ...]]) -> Iterator[Note]:
    """Disks that were asked for and are seen at others, where others' I/Os are too."""
    for name, disks in places.items():
        if disks != (name,):
            lower = ", ".join(disks)
            message = f"I/Os of {name} are seen at {lower}, on which it lies; the rows are of all I/Os there, of others too"
            yield Note(code="disks-beneath", message=message)


def _tell(ctx: Context, watching: Watching, watched_s: float | None) -> tuple[WatchedIo, ...]:
    """Who did what since the tick before; all of its rows."""
    step = watching.step()
    shown = step.rows[:TICK_ROWS_MAX]
    once = added_up(step.rows, watching.tally.has_counted)
    ctx.tick(
        Tick(
            stage=_STAGE,
            elapsed_s=step.elapsed_s,
            duration_s=step.duration_s,
            left_s=None if watched_s is None else max(0.0, watched_s - step.elapsed_s),
            iops=sum(row.iops for row in once),
            mb_per_s=sum(row.mb_per_s for row in moving(once)),
            rows=tuple(row.but(latency_us=row.latency_us.but(hdr=None)) for row in shown),
            more_rows=len(step.rows) - len(shown),
            by=watching.by,
            groups=tuple(
                one.but(latency_us=one.latency_us.but(hdr=None)) for one in step.groups[:TICK_ROWS_MAX]
            ),
            more_groups=max(0, len(step.groups) - TICK_ROWS_MAX),
            lost_ios=step.lost_ios,
        )
    )
    return step.rows


def _notes(found: Watch, watching: Watching) -> Iterator[Note]:
    """What is missing, and what could not be named."""
    yield from _held(found)
    if found.broken_off is not None:
        message = f"it ended before its time, and what was counted after the last reading is missing: {found.broken_off}"
        yield Note(code="watch-broken-off", message=message)
    if found.lost_ios:
        message = f"{found.lost_ios:,} I/Os are in no row: the kernel had no room for more of them"
        yield Note(code="ios-lost", message=message)
    yield from _untimed(found)
    if watching.first.begin is None:
        message = (
            "this kernel does not tell who made a request (Linux 5.11 does of most, 6.5 of all):"
            " rows name who handed it to the disk"
        )
        yield Note(code="owners-at-issue", message=message)
    if watching.tally.folded:
        message = f"there were more than {ROWS_MAX:,} rows: {watching.tally.folded:,} I/Os are in rows of the role {OTHERS}"
        yield Note(code="rows-folded", message=message)
    if found.lost_calls:
        message = f"{found.lost_calls:,} calls are in no row: the kernel had no room for more of them"
        yield Note(code="calls-lost", message=message)
    if watching.calls is not None and watching.calls.folded:
        folded = watching.calls.folded
        message = f"there were more than {ROWS_MAX:,} rows: {folded:,} calls are in rows of the role {OTHERS}"
        yield Note(code="rows-folded", message=message)
    yield from _unasked(found, watching)
    yield from _untitled(watching.tally, watching.calls)
    yield from _unnamed_relations(watching.relations)
    yield from _nameless(found, watching.refused)
    yield from _unplaced(watching)
    yield from _direct(found, watching.first.names_direct)
    yield from _none(found, watching)
    yield from _unmet(watching)


def _untimed(found: Watch) -> Iterator[Note]:
    """Where enough of a row's I/Os are in no latency that its tail may be another; rows of few and of many are told alike."""
    short = [(row.ios - row.latency_us.count, row) for row in found.rows]
    told = [(untimed, row) for untimed, row in short if untimed > UNTIMED_SHARE_MAX * row.ios]
    if told:
        untimed, ios = sum(one for one, _ in told), sum(row.ios for _, row in told)
        most = max(told, key=lambda one: one[0])[1]
        message = (
            f"of {untimed:,} I/Os, {format_share(untimed / ios)} of those of {_rows(len(told))}, the kernel did not tell the end"
            f" (most: {most.operation} of {most.role} at {most.device}): they are in the rows, and their latency is not known"
        )
        yield Note(code="ios-untimed", message=message)


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number:,} rows"


def _unasked(found: Watch, watching: Watching) -> Iterator[Note]:
    """What workers of PostgreSQL did for others that are not known, also where their own rows were not asked for."""
    if not watching.workers_ios:
        return
    is_shown = any(row.role == IO_WORKER for row in found.rows)
    unread, reasons = watching.unasked
    because = [*reasons, *([f"of {unread:,} it could not be read from their memory"] if unread else [])]
    why = "; ".join(because) or "the workers had just begun, or it is their own"
    rows = "the workers' own rows" if is_shown else f"rows of the role {IO_WORKER}, which were not asked for"
    said = f"{watching.workers_ios:,} I/Os"
    message = f"{said} of AIO workers of PostgreSQL are in {rows}, not in those of who asked: {why}"
    yield Note(code="askers-unknown", message=message)


def _untitled(tally: Tally, calls: FileCalls | None) -> Iterator[Note]:
    """Processes of databases of which it is not known what they are there."""
    called, hidden = (0, 0) if calls is None else (calls.untitled, calls.hidden)
    role = "their role is postgres or oracle, or the name of their instance ends in …"
    if tally.untitled or called:
        counts = _counts(tally.untitled, called)
        message = f"{counts} are of processes of databases that ended before their title was read: {role}"
        yield Note(code="owners-gone", message=message)
    if tally.hidden or hidden:
        message = (
            f"{_counts(tally.hidden, hidden)} are of processes of databases whose title /proc does not show to this user (hidepid):"
            f" {role}; root sees it, and who has CAP_SYS_PTRACE or is of the group of /proc's mount option gid"
        )
        yield Note(code="owners-hidden", message=message)


def _counts(ios: int, calls: int) -> str:
    """Of both what there is."""
    return " and ".join([f"{ios:,} I/Os"] * bool(ios) + [f"{calls:,} calls"] * bool(calls))


def _held(found: Watch) -> Iterator[Note]:
    """Where what was seen is not what the kernel counts, or nobody can say."""
    for device in found.devices:
        if device.held is False:
            message = f"what was seen at {device.device} is not what the kernel counts there: {device.reason}"
            yield Note(code="counts-differ", message=message)
        elif device.reason.startswith(UNCLEAR):
            yield Note(code="counts-unclear", message=f"at {device.device} {device.reason}")


def _unnamed_relations(relations: Namer | None) -> Iterator[Note]:
    """Why files kept their paths."""
    if relations is None:
        return
    if relations.unknown_because is not None:
        message = f"files have no relation from some moment on: {relations.unknown_because}"
        yield Note(code="relations-unknown", message=message)
    elif not relations.has_met_server:
        message = "no I/O of the database's server to a file was seen on this host: files keep their paths"
        if relations.are_withheld:
            message = (
                "of no I/O to a file is it known that it is the database's server's: files keep their paths. Whose the processes"
                " of others are is told to root, and to who has CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH"
            )
        yield Note(code="relations-none", message=message)
    if relations.waiting and relations.unknown_because is None:
        message = f"{relations.waiting:,} files keep their paths: they were too many to ask the database's server for all"
        yield Note(code="relations-unasked", message=message)


def _unmet(watching: Watching) -> Iterator[Note]:
    """What was asked for and is not there, with the roles that are."""
    for words in watching.unmet:
        seen = sorted(watching.roles)[:_ROLES_TOLD_MAX] if words.startswith(OF_ROLE) else ()
        among = f"; roles that were seen: {', '.join(seen)}" if seen else ""
        yield Note(code="filter-unmatched", message=f"no I/O {words} was among what was asked for{among}")


def _none(found: Watch, watching: Watching) -> Iterator[Note]:
    """That none was seen, where what was asked for does not tell it."""
    if not found.rows and not found.calls and not watching.unmet:
        which = " of what was asked for" if watching.roles else ""
        message = (
            f"no I/O{which} was seen in the {format_seconds(found.duration_s)}: watch for longer, or while something reads or"
            " writes"
        )
        yield Note(code="ios-none", message=message)


def _nameless(found: Watch, refused: int) -> Iterator[Note]:
    """Files whose path nobody could tell."""
    of_files = [row for row in found.rows if row.file_kind == "inode"]
    ios, nameless = sum(row.ios for row in of_files), sum(row.ios for row in of_files if row.file is None)
    if nameless:
        message = (
            f"of {format_share(nameless / ios)} of the I/Os to files the file is known by its number alone: of the"
            " processes that were seen at I/O none was found to have it open"
        )
        if refused:
            message += (
                f"; at the open files of {refused:,} processes only root may look, or who has CAP_SYS_PTRACE"
                " and CAP_DAC_READ_SEARCH"
            )
        yield Note(code="files-nameless", message=message)


def _unplaced(watching: Watching) -> Iterator[Note]:
    """What belongs nowhere that is known, also where rows of that were not asked for."""
    of_calls = Counter[WatchWord]() if watching.calls is None else watching.calls.unknown
    for word, (code, because) in _UNKNOWN.items():
        ios, calls = watching.unknown[word], of_calls[word]
        if ios or calls:
            is_left_out = word in watching.wanted.belongs
            where = "they are not among what was asked for" if is_left_out else "it is unknown in their rows"
            message = f"of {_counts(ios, calls)} that read or write the {_NAMED[word]} is not known, and {where}: {because}"
            yield Note(code=code, message=message)
    names = None if watching.belonging is None else watching.belonging.names
    is_told = watching.relations is not None and watching.relations.unknown_because is not None
    if names is not None and names.unknown_because is not None and not is_told:
        message = f"databases and tablespaces that are new have a number: {names.unknown_because}"
        yield Note(code="relations-unknown", message=message)


def _direct(found: Watch, is_named: bool) -> Iterator[Note]:
    """Why direct I/O has no file, where its probe could not be told what it goes by."""
    ios = sum(row.ios for row in moving(found.rows) if row.file_kind == "unknown")
    if ios and not is_named:
        message = (
            f"{ios:,} I/Os have no file, those of direct I/O among them: the kernel does not tell this process where its functions"
            " are, by which such I/O is known (kernel.kptr_restrict is 2, or CAP_SYSLOG is missing), or it has none for that"
        )
        yield Note(code="direct-files-unknown", message=message)
