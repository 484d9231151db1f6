"""Asks streams of queries, all at once, each in a session of its own, and times every query.

A query's time runs from sending it until its last row has arrived. Whether the rows are right is looked at afterwards, so that
no stream waits for that. Ctrl-C ends the queries at work and keeps those that are done. A query that the server refuses fails
alone; a session that is lost ends its stream.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.databases import Connection, Session
from plimsoll.proof.tpch.counts import QueryCounts, grown
from plimsoll.proof.watch import is_interruption, wait_for

_STAGE = "prove"
_LOST = "database-lost"


@dataclass(frozen=True)
class Asked:
    """One query that came to an end: with rows, or with an error."""

    query: int
    elapsed_s: float
    rows: Sequence[tuple[Any, ...]] | None
    error: PlimsollError | None = None
    counts: Mapping[str, Any] = field(default_factory=dict)
    """What server and device counted meanwhile, as fields of a `QueryResult`; nothing of streams at once."""


@dataclass
class Stream:
    """One stream: its number, its order, and what became of it. Instants are this machine's clock."""

    number: int
    order: tuple[int, ...]
    repeat: int = 1
    asked: list[Asked] = field(default_factory=list)
    begin: datetime | None = None
    end: datetime | None = None
    began_s: float | None = None
    ended_s: float | None = None
    aside_s: float = 0.0
    """Of that time, what went into reading counters between queries."""
    error: PlimsollError | None = None
    """Why it ended before its last query; None when it did not, or was interrupted."""

    @property
    def name(self) -> str:
        """`stream 3`; the power run is stream 0."""
        return f"stream {self.number}" + (f", repeat {self.repeat}" if self.repeat > 1 else "")

    @property
    def whole(self) -> bool:
        """Every query of it came to an end."""
        return len(self.asked) == len(self.order)


def run_streams(
    ctx: Context,
    connection: Connection,
    streams: list[Stream],
    texts: Mapping[int, str],
    folder: Path | None = None,
    meanwhile: Callable[[], None] = lambda: None,
) -> list[Stream]:
    """Runs the streams from one common start; returns them. Never raises for what a session or a query meets.

    What a query makes server and device do is counted where there is one stream alone; `folder` is where the data lie, if here.
    `meanwhile` is called again and again by the thread that waits, and must not raise.
    """
    return _Run(ctx, connection, streams, texts, QueryCounts(connection, folder), meanwhile).run()


class _Run:
    def __init__(
        self,
        ctx: Context,
        connection: Connection,
        streams: list[Stream],
        texts: Mapping[int, str],
        counts: QueryCounts,
        meanwhile: Callable[[], None],
    ) -> None:
        self._ctx, self._connection, self._streams, self._texts = ctx, connection, streams, texts
        self._counts, self._meanwhile = counts, meanwhile
        self._sessions: dict[int, Session] = {}
        self._ready = threading.Barrier(len(streams))
        self._began_s = ctx.clock.monotonic_s()
        self._told = -1

    def run(self) -> list[Stream]:
        threads = [
            threading.Thread(
                target=self._life, args=(stream,), name=f"plimsoll-stream-{stream.number}", daemon=True
            )
            for stream in self._streams
        ]
        for thread in threads:
            thread.start()
        wait_for(self._ctx, threads, [self._cancel_all], self._tell)
        return self._streams

    def _cancel_all(self) -> None:
        self._ready.abort()
        for session in list(self._sessions.values()):
            session.cancel()

    def _tell(self) -> None:
        """Progress from the thread that waits; the time left is reckoned by the queries that are done."""
        self._meanwhile()
        done, total = (
            sum(len(stream.asked) for stream in self._streams),
            sum(len(stream.order) for stream in self._streams),
        )
        if done == self._told:
            return
        self._told = done
        share = done / total
        passed_s = self._ctx.clock.monotonic_s() - self._began_s
        what = f"{len(self._streams)} streams" if self._streams[0].number else "power run"
        left_s = passed_s * (1 - share) / share if done else None
        self._ctx.progress(_STAGE, f"{what}, {done} of {total} queries", share, left_s, done == total)

    def _life(self, stream: Stream) -> None:
        """The life of one stream, in its own thread."""
        try:
            session = self._connection.session(f"plimsoll stream {stream.number}")
        except PlimsollError as error:
            stream.error = error
            self._ready.abort()
            return
        self._sessions[stream.number] = session
        try:
            self._ready.wait()
            self._ask_all(stream, session)
            self._counts.hand_in(session)
        except threading.BrokenBarrierError:
            return  # Another stream got no session, or somebody stopped it all: then none begins.
        finally:
            del self._sessions[stream.number]
            session.close()

    def _ask_all(self, stream: Stream, session: Session) -> None:
        clock = self._ctx.clock
        stream.begin, stream.began_s = clock.now(), clock.monotonic_s()
        for query in stream.order:
            if self._ctx.cancel.is_set:
                break
            asked = self._counted(stream, session, query)
            if asked.error is not None and is_interruption(self._ctx, asked.error):
                break
            stream.asked.append(asked)
            if asked.error is not None and asked.error.id == _LOST:
                stream.error = asked.error
                break
        stream.end, stream.ended_s = clock.now(), clock.monotonic_s()

    def _counted(self, stream: Stream, session: Session, query: int) -> Asked:
        """The query, with the counters around it where nothing else runs beside it."""
        if len(self._streams) > 1:
            return self._ask(session, query)
        began_s = self._ctx.clock.monotonic_s()
        before = self._counts.read(session)
        asked = self._ask(session, query)
        after = self._counts.read(session)
        stream.aside_s += self._ctx.clock.monotonic_s() - began_s - asked.elapsed_s
        return replace(asked, counts=grown(before, after))

    def _ask(self, session: Session, query: int) -> Asked:
        began_s = self._ctx.clock.monotonic_s()
        try:
            rows = session.run(self._texts[query])
        except PlimsollError as error:
            return Asked(query, self._ctx.clock.monotonic_s() - began_s, None, error)
        return Asked(query, self._ctx.clock.monotonic_s() - began_s, rows)
