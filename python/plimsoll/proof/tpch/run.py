"""A TPC-H proof: the power run, then streams at once, with every answer looked at.

Nothing here is a TPC-H result in the sense of the TPC: no refresh functions, no rules of audit, fixed parameters. It says how
this database with this storage does on these queries, and that it gave the right answers meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from plimsoll.base import limits
from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.databases import Connection, ServerCounts, Session, reads_answers
from plimsoll.facts import Note, Proof, ProofSession, ProofWindow, QueryResult, Snapshot
from plimsoll.proof.surroundings import Surroundings
from plimsoll.proof.tpch import orders, queries, schema
from plimsoll.proof.tpch.answers import check
from plimsoll.proof.tpch.request import TpchRequest
from plimsoll.proof.tpch.schema import Marker
from plimsoll.proof.tpch.streams import Asked, Stream, run_streams
from plimsoll.proof.watch import is_interruption

_STAGE = "prove"
_EXPLAIN = {"estimated": "explain (format text)\n", "analyzed": "explain (format text, analyze, buffers)\n"}

NOT_A_RESULT = Note(
    code="tpch-derived",
    message="derived from the TPC-H specification and not comparable to published TPC-H results: no refresh functions, "
    "the validation parameters in every stream, no audit",
)


@dataclass
class _Measured:
    """What was measured, as far as it came."""

    streams: list[Stream]
    snapshots: list[Snapshot]
    looks: list[Snapshot]
    plans: dict[int, str]
    failure: PlimsollError | None = None


@dataclass(frozen=True)
class TpchOutcome:
    """The proof, and the server's counters before and after the part that says most of its storage: the streams at once where
    there are any, else the last power run."""

    proof: Proof
    snapshots: tuple[Snapshot, ...]
    looks: tuple[Snapshot, ...]
    """What sessions were at, each second in between."""


def run_tpch(
    ctx: Context, connection: Connection, request: TpchRequest, folder: Path | None = None
) -> TpchOutcome:
    """Runs stream 0 alone, then `request.streams` at once. The data must be loaded (`setup`).

    `folder` is where the server's data lie, where that is on this machine: its device is then counted for each query. What a cancel
    or the loss of the server leaves is in the proof, which then does not hold. Raises WorldError `proof-foreign`, `proof-busy`,
    `tpch-not-loaded`, `tpch-half-loaded`, `tpch-differs`, and what opening a session raises.
    """
    session = schema.open_session(connection)
    try:
        schema.take_lock(session, shared=True)
        marker = schema.require_loaded(schema.status_of(session), request)
        schema.check_pure(session)
        around = Surroundings(ctx, connection, session)
        measured = _measure(ctx, connection, session, request, around, folder)
        around.end()
    finally:
        schema.let_go(session)
    proof = _proof(ctx, connection, request, marker, measured, around)
    last = tuple(measured.snapshots[-2:]) if len(measured.snapshots) % 2 == 0 else ()
    return TpchOutcome(proof, last, tuple(measured.looks))


def _measure(
    ctx: Context,
    connection: Connection,
    session: Session,
    request: TpchRequest,
    settle: Callable[[], None],
    folder: Path | None,
) -> _Measured:
    texts = {
        query: queries.query_text(connection.dialect, query, request.scale_text) for query in orders.QUERIES
    }
    measured = _Measured([], [], [], {})
    try:
        if request.plans == "estimated":
            _explain(ctx, session, texts, request, measured.plans)
        # Queries only read: what earlier work left to be written must not be written under them.
        settle()
        for group in _groups(request):
            if ctx.cancel.is_set or any(stream.error for stream in measured.streams):
                break
            measured.snapshots.append(connection.snapshot())
            measured.streams += run_streams(
                ctx, connection, group, texts, folder, _looking(ctx, connection, measured.looks)
            )
            measured.snapshots.append(connection.snapshot())
        if request.plans == "analyzed" and not ctx.cancel.is_set:
            _explain(ctx, session, texts, request, measured.plans)
    except PlimsollError as error:
        if not measured.streams and not ctx.cancel.is_set:
            raise
        if not is_interruption(ctx, error):
            measured.failure = error
    return measured


def _looking(ctx: Context, connection: Connection, looks: list[Snapshot]) -> Callable[[], None]:
    """Takes a snapshot each second; one that fails is left out, since the streams meet the same trouble and say so."""
    due_s = ctx.clock.monotonic_s() + limits.SNAPSHOT_PERIOD_S

    def look() -> None:
        nonlocal due_s
        if ctx.clock.monotonic_s() < due_s:
            return
        due_s = ctx.clock.monotonic_s() + limits.SNAPSHOT_PERIOD_S
        with suppress(PlimsollError):
            looks.append(connection.snapshot())

    return look


def _groups(request: TpchRequest) -> list[list[Stream]]:
    """The power runs, one by one, and the streams that run at once after them."""
    power = [
        [Stream(0, orders.order_of(0, request.seed), repeat)] for repeat in range(1, request.repeats + 1)
    ]
    at_once = [
        Stream(number, orders.order_of(number, request.seed)) for number in range(1, request.streams + 1)
    ]
    return [*power, *([at_once] if at_once else [])]


def _explain(
    ctx: Context, session: Session, texts: Mapping[int, str], request: TpchRequest, plans: dict[int, str]
) -> None:
    """Fills in the plans one by one, so that an interrupted collection keeps what it has."""
    for query, text in texts.items():
        if ctx.cancel.is_set:
            return
        ctx.progress(_STAGE, f"plan of query {query}", (query - 1) / len(texts))
        plans[query] = _plan(session, _EXPLAIN[request.plans] + text)


@reads_answers
def _plan(session: Session, sql: str) -> str:
    return "\n".join(row[0] for row in session.run(sql))


def _proof(
    ctx: Context,
    connection: Connection,
    request: TpchRequest,
    marker: Marker,
    measured: _Measured,
    around: Surroundings,
) -> Proof:
    results = [
        _result(request.scale_text, stream, asked, measured.plans)
        for stream in measured.streams
        for asked in stream.asked
    ]
    doubts = (*_doubts_of_streams(ctx, request, measured), *_doubts_of_answers(results), *around.doubts())
    counts, counted_s = _counts(connection, measured.snapshots)
    window = _window(measured)
    done = sum(1 for result in results if result.answer != "failed")
    return Proof(
        workload="tpch",
        database=connection.database,
        settings=_settings(request, marker),
        holds=not doubts,
        doubts=doubts,
        window=window,
        operations_per_s=done / window.duration_s if window and window.duration_s > 0 else None,
        logical_reads_per_s=_rate(_sum(counts, "block_reads", "block_hits"), counted_s),
        physical_reads_per_s=_rate(_sum(counts, "block_reads"), counted_s),
        cache_hits_per_s=_rate(_sum(counts, "block_hits"), counted_s),
        sessions=tuple(_session(stream, measured.snapshots) for stream in measured.streams),
        queries=tuple(results),
        notes=(*_notes(request, measured, results), *around.notes()),
        **around.facts(_together(counts)),
    )


def _result(scale: str, stream: Stream, asked: Asked, plans: Mapping[int, str]) -> QueryResult:
    """One query's fact. The plan stands with the first power run alone: those of other streams are the same."""
    plan = plans.get(asked.query) if stream.number == 0 and stream.repeat == 1 else None
    if asked.rows is None:
        reason = asked.error.message if asked.error else "no rows"
        return QueryResult(
            query=asked.query, stream=stream.number, repeat=stream.repeat, elapsed_s=None, rows=None, answer="failed",
            reason=f"{reason}, after {asked.elapsed_s:.1f} s", plan=plan,
        )  # fmt: skip
    verdict, reason = check(scale, asked.query, asked.rows)
    return QueryResult(
        query=asked.query, stream=stream.number, repeat=stream.repeat, elapsed_s=asked.elapsed_s, rows=len(asked.rows),
        answer=verdict, reason=reason, plan=plan, **asked.counts,
    )  # fmt: skip


def _doubts_of_streams(ctx: Context, request: TpchRequest, measured: _Measured) -> list[str]:
    """Streams that did not come to their end, or never began."""
    begun = {(stream.number, stream.repeat): stream for stream in measured.streams}
    wanted = [stream for group in _groups(request) for stream in group]
    complete = len(begun) == len(wanted) and all(stream.whole for stream in measured.streams)
    doubts = ["it was interrupted"] if ctx.cancel.is_set and not complete else []
    doubts += [measured.failure.message] if measured.failure else []
    for one in wanted:
        stream = begun.get((one.number, one.repeat))
        if stream is None or stream.begin is None:
            reason = f": {stream.error.message}" if stream and stream.error else ""
            doubts.append(f"{one.name} did not begin{reason}")
        elif not stream.whole:
            reason = f": {stream.error.message}" if stream.error else ""
            doubts.append(
                f"{one.name} ended after {len(stream.asked)} of {len(stream.order)} queries{reason}"
            )
    return doubts


def _doubts_of_answers(results: Sequence[QueryResult]) -> list[str]:
    """One line for each query and way of going wrong, however many streams met it."""
    streams: dict[tuple[int, str, str], list[int]] = {}
    for result in results:
        if result.answer in ("wrong", "failed"):
            streams.setdefault((result.query, result.answer, result.reason), []).append(result.stream)
    return [
        f"query {query} {'gave a wrong answer' if answer == 'wrong' else 'failed'} in stream "
        f"{', '.join(map(str, numbers))}: {reason}"
        for (query, answer, reason), numbers in sorted(streams.items())
    ]


def _window(measured: _Measured) -> ProofWindow | None:
    """From the first query's start to the last one's end, by the server's clock."""
    ran = [stream for stream in measured.streams if stream.begin is not None and stream.end is not None]
    if not ran:
        return None
    offset = _offset(measured.snapshots)
    begins = [stream.begin for stream in ran if stream.begin is not None]
    ends = [stream.end for stream in ran if stream.end is not None]
    return ProofWindow(
        start=min(begins) + offset,
        end=max(ends) + offset,
        duration_s=_busy_s(ran),
        excluded_warm_up_s=0.0,
    )


def _busy_s(streams: Sequence[Stream]) -> float:
    """The time of all power runs, and that of the streams that ran at once; without what reading counters took."""
    power = [stream for stream in streams if stream.number == 0]
    at_once = [stream for stream in streams if stream.number > 0]
    return sum(_duration_s([stream]) - stream.aside_s for stream in power) + _duration_s(at_once)


def _duration_s(streams: Sequence[Stream]) -> float:
    """From the first start to the last end of streams that ran at once."""
    begins = [stream.began_s for stream in streams if stream.began_s is not None]
    ends = [stream.ended_s for stream in streams if stream.ended_s is not None]
    return max(ends) - min(begins) if begins and ends else 0.0


def _offset(snapshots: Sequence[Snapshot]) -> timedelta:
    """What the server's clock is ahead of ours."""
    return timedelta(seconds=snapshots[0].clock_offset_s if snapshots else 0.0)


def _counts(connection: Connection, snapshots: Sequence[Snapshot]) -> tuple[list[ServerCounts], float]:
    """What the server counted in each group of streams, and for how long. Nothing where a reading is missing."""
    if not snapshots or len(snapshots) % 2:
        return [], 0.0
    pairs = list(zip(snapshots[::2], snapshots[1::2], strict=True))
    seconds = sum((after.taken_at - before.taken_at).total_seconds() for before, after in pairs)
    return [connection.counts(before, after) for before, after in pairs], seconds


def _together(counts: Sequence[ServerCounts]) -> ServerCounts:
    """What the state at the start is told with, over all groups of streams."""
    return ServerCounts(
        checkpoints=_sum(counts, "checkpoints"), full_page_images=_sum(counts, "full_page_images")
    )


def _sum(counts: Sequence[ServerCounts], *names: str) -> float | None:
    values = [getattr(count, name) for count in counts for name in names]
    return sum(values) if values and None not in values else None


def _rate(count: float | None, seconds: float) -> float | None:
    return None if count is None or seconds <= 0 else count / seconds


def _session(stream: Stream, snapshots: Sequence[Snapshot]) -> ProofSession:
    offset = _offset(snapshots)
    short = f"it ended after {len(stream.asked)} of {len(stream.order)} queries"
    return ProofSession(
        name=stream.name,
        start=stream.begin and stream.begin + offset,
        end=stream.end and stream.end + offset,
        operations=sum(1 for asked in stream.asked if asked.rows is not None),
        whole=stream.whole,
        reason="" if stream.whole else stream.error.message if stream.error else short,
    )


def _settings(request: TpchRequest, marker: Marker) -> dict[str, str]:
    return {
        "scale": request.scale_text,
        "layout": request.layout,
        "streams": str(request.streams),
        "repeats": str(request.repeats),
        "orders": orders.source_of(request.streams, request.seed),
        "parameters": "the specification's validation values",
        "plans": request.plans,
        "generator": marker.generator,
    }


def _notes(request: TpchRequest, measured: _Measured, results: Sequence[QueryResult]) -> list[Note]:
    notes = [NOT_A_RESULT]
    for repeat in range(1, request.repeats + 1):
        power = [
            result.elapsed_s
            for result in results
            if result.stream == 0 and result.repeat == repeat and result.elapsed_s is not None
        ]
        if power:
            which = "22 queries" if len(power) == len(orders.QUERIES) else f"{len(power)} of 22 queries"
            run = "power run" if request.repeats == 1 else f"power run {repeat}"
            message = f"{run}: {which} in {sum(power):.2f} s, geometric mean {geometric_mean_s(power):.4f} s"
            notes.append(Note(code="tpch-power", message=message))
    at_once = [stream for stream in measured.streams if stream.number > 0 and stream.asked]
    if at_once:
        done = sum(1 for stream in at_once for asked in stream.asked if asked.rows is not None)
        seconds = _duration_s(at_once)
        message = f"throughput run: {done} queries of {len(at_once)} streams at once in {seconds:.2f} s"
        notes.append(Note(code="tpch-throughput", message=message))
    if any(result.answer == "unknown" for result in results):
        message = f"no answers are known for scale {request.scale_text}, so whether they are right was not looked at"
        notes.append(Note(code="tpch-answers-unknown", message=message))
    return notes


def geometric_mean_s(seconds: Sequence[float]) -> float:
    """The geometric mean of times; those below a microsecond count as one, as none can be measured there."""
    return math.exp(sum(math.log(max(value, 1e-6)) for value in seconds) / len(seconds))
