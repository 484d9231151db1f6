"""What is made of each of many files: of few in this process, of thousands in processes apart, group by group.

A group is some megabytes of files that follow each other, so that what crosses between processes is little beside what is read.
Results come in the order in which files were found, whoever was ready first. What was made of a group is kept until the command
has all of it (`kept_groups`): called again after it was killed, the command goes on from there. A file that ends the process that
reads it is told as unreadable, with how that was, and the rest go on.
"""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any, TypeVar

from plimsoll.base.errors import WorldError
from plimsoll.base.limits import FLEET_FILES_MIN, FLEET_GROUP_BYTES_MIN, FLEET_GROUP_FILES_MAX
from plimsoll.context import Context, Ended
from plimsoll.reports.kept_groups import KeptGroups
from plimsoll.reports.sources import Source, sources
from plimsoll.reports.walk import Entry

Result = TypeVar("Result")

_ENDED_HINT = (
    "Move it elsewhere to read the others without it, and please report this, with the file if you may."
)


def each(
    ctx: Context,
    function: Callable[[Sequence[Source]], Result],
    entries: Sequence[Entry],
    piped: bytes | None = None,
    here: Callable[[Sequence[Source]], Result] | None = None,
) -> Iterator[Result]:
    """What `function` makes of groups of sources, in order; `here`, where that is another, of those that are read in this process.

    Functions and results pickle. Once somebody asked to end nothing new is begun; what is at work is finished.
    Raises WorldError `worker-unstarted`.
    """
    wanted = takewhile(lambda _: not ctx.cancel.is_set, sources(entries, piped))
    if not is_fleet(entries):
        yield from ctx.executor.map(here or function, ([source] for source in wanted))
        return
    with KeptGroups(ctx, function, entries) as kept:
        yield from _apart(ctx, function, _groups(wanted), kept)
        if not ctx.cancel.is_set:
            kept.forget()


def is_fleet(entries: Sequence[Entry]) -> bool:
    """Whether so many were named that they are read by processes apart."""
    return len(entries) >= FLEET_FILES_MIN


def one_by_one(function: Callable[[Source], tuple[Result, ...]], group: Sequence[Source]) -> list[Result]:
    """Everything that the function makes of each source of a group, which may be several things."""
    return [result for source in group for result in function(source)]


def _groups(found: Iterable[Source]) -> Iterator[list[Source]]:
    """Some megabytes or some hundred of them, in order; the same ones each time."""
    group: list[Source] = []
    size_bytes = 0
    for source in found:
        group.append(source)
        size_bytes += max(source.weight_bytes, len(source.content))
        if size_bytes >= FLEET_GROUP_BYTES_MIN or len(group) >= FLEET_GROUP_FILES_MAX:
            yield group
            group, size_bytes = [], 0
    if group:
        yield group


def _apart(
    ctx: Context,
    function: Callable[[Sequence[Source]], Result],
    groups: Iterable[list[Source]],
    kept: KeptGroups,
) -> Iterator[Result]:
    """Of each group, as it is kept or as it is made now."""
    order: deque[tuple[str | None, bool]] = deque()

    def missing() -> Iterator[list[Source]]:
        for group in groups:
            key = kept.key_of(group)
            is_there = kept.has(key)
            order.append((key, is_there))
            if not is_there:
                yield group

    def before() -> Iterator[Result]:
        """Kept ones that come first."""
        while order and order[0][1]:
            key, _ = order.popleft()
            yield from map(kept.unpacked, kept.load(key))

    for made in ctx.executor.apart(partial(_packed, function), missing()):
        yield from before()
        key, _ = order.popleft()
        parts = [_part(function, some, found) for some, found in made]
        kept.keep(key, parts)
        yield from map(kept.unpacked, parts)
    yield from before()


def _packed(function: Callable[[Sequence[Source]], Any], group: Sequence[Source]) -> bytes:
    """Pickled there, so that what is kept needs not be pickled again here."""
    return pickle.dumps(function(group), pickle.HIGHEST_PROTOCOL)


def _part(function: Callable[[Sequence[Source]], Any], some: Sequence[Source], found: bytes | Ended) -> bytes:
    if not isinstance(found, Ended):
        return found
    return _packed(function, [_unreadable(source, found) for source in some])


def _unreadable(source: Source, ended: Ended) -> Source:
    message = f"{source.name} ended the process that read it, twice; the last was ended by {ended.why}"
    error = WorldError("report-ends-reader", message, _ENDED_HINT)
    return replace(source, path=None, content=b"", error=error)
