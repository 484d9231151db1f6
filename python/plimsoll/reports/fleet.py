"""What is made of each of many files: of few in this process, of thousands in processes apart, group by group.

A group is some megabytes of files that follow each other, so that what crosses between processes is little beside what is read.
Results come in the order in which files were found, whoever was ready first. What was made of a group is kept until the command
has all of it (`kept_groups`): called again after it was killed, the command goes on from there. A file that ends the process that
reads it is told as unreadable, with how that was, and the rest go on.
"""

from __future__ import annotations

import pickle
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

from plimsoll.base.errors import WorldError
from plimsoll.base.units import counted
from plimsoll.context import Context, Ended, Pieces
from plimsoll.reports.kept_groups import KeptGroups
from plimsoll.reports.limits import (
    FLEET_CHANGED_TRIES,
    FLEET_FILES_MIN,
    FLEET_GROUP_BYTES_MIN,
    FLEET_GROUP_CUT,
    FLEET_GROUP_FILES_MAX,
)
from plimsoll.reports.same_files import Unseen, as_seen_here, changed_here, unseen_here
from plimsoll.reports.sources import Source, sources
from plimsoll.reports.walk import Entry

Result = TypeVar("Result")
_Function = Callable[[Sequence[Source]], Any]

_ENDED_HINT = (
    "Move it elsewhere to read the others without it, and please report this, with the file if you may."
)

_LOST_HINT = "See that memory and the number of processes suffice, then call it again."


@dataclass
class Tally:
    """How many of the entries were read to their end, of an archive all members."""

    whole: int = 0


def each(
    ctx: Context,
    function: Callable[[Sequence[Source]], Result],
    entries: Sequence[Entry],
    piped: bytes | None = None,
    here: Callable[[Sequence[Source]], Result] | None = None,
    until: ExitStack | None = None,
    tally: Tally | None = None,
) -> Iterator[Result]:
    """What `function` makes of groups of sources, in order; `here`, where that is another, of those that are read in this process.

    What is kept of groups is forgotten when `until` ends well, where it is given, and else when the last result was asked for.
    Functions and results pickle. Once somebody asked to end nothing new is begun; what is at work is finished, and the rest is
    told by number.
    """
    tally = tally or Tally()
    wanted = _until_asked(ctx, entries, piped, tally)
    if not (is_fleet(entries) or ctx.executor.is_elsewhere):
        yield from ctx.executor.map(here or function, ([source] for source in wanted))
        _tell_rest(ctx, len(entries) - tally.whole)
        return
    with ExitStack() as own:
        kept = (until or own).enter_context(KeptGroups(ctx, function, entries))
        yield from _apart(ctx, function, _groups(wanted), kept)
        _tell_rest(ctx, len(entries) - tally.whole)
        if ctx.cancel.is_set:
            kept.tell_rest()
        else:
            kept.finish()


def _until_asked(
    ctx: Context, entries: Sequence[Entry], piped: bytes | None, tally: Tally
) -> Iterator[Source]:
    """What the entries hold, up to the moment when somebody asks to end."""
    for entry in entries:
        for source in sources([entry], piped):
            if ctx.cancel.is_set:
                return
            yield source
        tally.whole += 1


def _tell_rest(ctx: Context, unreached: int) -> None:
    if unreached:
        ctx.remark("read", f"ended before {counted(unreached, 'file')} were read, or all that is in them")


def is_fleet(entries: Sequence[Entry]) -> bool:
    """Whether so many were named that they are read by processes apart."""
    return len(entries) >= FLEET_FILES_MIN


def one_by_one(function: Callable[[Source], tuple[Result, ...]], group: Sequence[Source]) -> list[Result]:
    """Everything that the function makes of each source of a group, which may be several things."""
    return [result for source in group for result in function(source)]


def _groups(found: Iterable[Source]) -> Iterator[list[Source]]:
    """Some megabytes, unpacked, or some hundred of them, in order; the same ones each time.

    Some names end a group whatever stands before, so that a file more or less, or a longer one, changes only the groups up to
    the next such name, and what is kept of those behind is of use.
    """
    group: list[Source] = []
    size_bytes = 0
    for source in found:
        group.append(source)
        size_bytes += max(source.weight_bytes, source.grown_bytes, len(source.content))
        is_full = size_bytes >= FLEET_GROUP_BYTES_MIN or len(group) >= FLEET_GROUP_FILES_MAX
        if is_full or _ends_group(source):
            yield group
            group, size_bytes = [], 0
    if group:
        yield group


def _ends_group(source: Source) -> bool:
    """By the name alone, without the folder."""
    name = f"{source.file.rpartition('/')[2]}/{source.member or ''}"
    return zlib.crc32(name.encode(errors="surrogateescape")) % FLEET_GROUP_CUT == 0


@dataclass(frozen=True)
class _Turn:
    """A group whose results come in its turn: as they are kept, or as they are made."""

    key: str | None
    is_kept: bool
    group: Sequence[Source] = ()
    """To be read again where what was kept of it vanishes; nothing where that would hold contents in memory."""


class _Packed(NamedTuple):
    """What was made of a group. It lasts where the system refused nothing on the way, as it may grant it the next time."""

    content: bytes
    lasts: bool


_Made = Pieces[Source, "_Packed | Unseen"]


def _apart(
    ctx: Context, function: _Function, groups: Iterable[list[Source]], kept: KeptGroups
) -> Iterator[Any]:
    """Of each group, as it is kept or as it is made now."""
    order: deque[_Turn] = deque()

    def missing() -> Iterator[list[Source]]:
        for group in groups:
            key = kept.key_of(group)
            is_kept = kept.has(key)
            order.append(_Turn(key, is_kept, _light(group) if is_kept else ()))
            if not is_kept:
                yield group

    def before() -> Iterator[Any]:
        """Kept ones that come first."""
        while order and order[0].is_kept:
            turn = order.popleft()
            parts = kept.load(turn.key)
            yield from map(kept.unpacked, _read_again(ctx, function, turn) if parts is None else parts)

    for made in _asked(ctx, function, missing()):
        yield from before()
        turn = order.popleft()
        parts = list(_parts(ctx, function, made))
        if all(part.lasts for part in parts):
            kept.keep(turn.key, [part.content for part in parts])
        yield from (kept.unpacked(part.content) for part in parts)
    yield from before()


def _warn(ctx: Context, why: str) -> None:
    ctx.remark("read", why, warning=True)


def _light(group: Sequence[Source]) -> Sequence[Source]:
    return () if any(source.content for source in group) else group


def _read_again(ctx: Context, function: _Function, turn: _Turn) -> list[bytes]:
    if not turn.group:
        message = "what an earlier command had read was taken away while it was needed"
        raise WorldError("kept-vanished", message, "Call it again.")
    [made] = _asked(ctx, function, [turn.group])
    return [part.content for part in _parts(ctx, function, made)]


def _asked(ctx: Context, function: _Function, groups: Iterable[Sequence[Source]]) -> Iterator[_Made]:
    """Of each group by processes apart; other hosts get files by their whole names, and as they are here."""
    if not ctx.executor.is_elsewhere:
        return ctx.executor.apart(partial(_packed, function), groups, partial(_warn, ctx))
    seen = ([as_seen_here(source) for source in group] for group in groups)
    return ctx.executor.apart(partial(_packed_there, function), seen, partial(_warn, ctx))


def _packed_there(function: _Function, group: Sequence[Source]) -> _Packed | Unseen:
    """On another host, where it sees the files that the host of the command sees."""
    return unseen_here(group) or _packed(function, group)


def _packed(function: _Function, group: Sequence[Source]) -> _Packed:
    """Pickled there, so that what is kept needs not be pickled again here."""
    refused: list[str] = []
    made = function([replace(source, refused=refused) for source in group])
    return _Packed(pickle.dumps(made, pickle.HIGHEST_PROTOCOL), not refused)


def _parts(
    ctx: Context, function: _Function, made: _Made, tries: int = FLEET_CHANGED_TRIES
) -> Iterator[_Packed]:
    """What was made of each piece of a group. A file that was changed since it was found is read as it is now.

    Raises WorldError where another host does not see what this one sees.
    """
    for some, found in made:
        if not isinstance(found, Unseen):
            yield _part(function, some, found)
        elif tries and changed_here(some):
            [again] = _asked(ctx, function, [some])
            yield from (part._replace(lasts=False) for part in _parts(ctx, function, again, tries - 1))
        else:
            raise found.error


def _part(function: _Function, some: Sequence[Source], found: _Packed | Ended) -> _Packed:
    if not isinstance(found, Ended):
        return found
    # The next time its process may live, as where memory was short.
    return _packed(function, [_unreadable(source, found) for source in some])._replace(lasts=False)


def _unreadable(source: Source, ended: Ended) -> Source:
    return replace(source, path=None, content=b"", error=_ended(source.name, ended))


def _ended(name: str, ended: Ended) -> WorldError:
    """Which file it was, or which it may have been."""
    if ended.unstarted is None:
        message = f"{name} ended the process that read it, twice; the last was ended by {ended.why}"
        return WorldError("report-ends-reader", message, _ENDED_HINT)
    then = f"was ended by {ended.why}, and then the command {ended.unstarted}"
    message = f"{name} was not read: the process that was to read it {then}"
    return WorldError("report-reader-lost", message, _LOST_HINT)
