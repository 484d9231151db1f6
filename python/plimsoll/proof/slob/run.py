"""A run of SLOB's method: sessions that read and update random blocks inside the server, and what both sides counted.

The method is Kevin Closson's (SLOB 2, "The Silly Little Oracle Benchmark"). What its scripts get wrong is built otherwise: counters
are read at the window's own edges, each operation commits, kinds of operations are drawn independently, and WORK_UNIT means
that many blocks.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from typing import Any

from plimsoll.base.units import format_share
from plimsoll.context import Context
from plimsoll.databases import Connection, ServerCounts, Session, reads_answers
from plimsoll.facts import Agreement, Note, Proof, ProofHosts
from plimsoll.proof.by_host import doubts_of_lost, hosts_of, of_lost, untold
from plimsoll.proof.crew import LocalCrew, Track
from plimsoll.proof.origin import origin
from plimsoll.proof.server import Fetched, commit_parts, counts_of, others_commits, rates, upkeep
from plimsoll.proof.sessions import Drove, Hire, Schedule, drive_crew
from plimsoll.proof.slices import COMMIT, Slice, slice_of
from plimsoll.proof.slob.parameters import SlobParameters
from plimsoll.proof.slob.tables import COLUMNS, WORKLOAD, Loaded, checked
from plimsoll.proof.statements import statement, statements
from plimsoll.proof.surroundings import Surroundings
from plimsoll.proof.window import Windowed, agreement, uneven, unsteady, windowed

COMMITS_SHARE_MAX = 0.01
_BEHIND_SHARE_MAX = 0.1
"""Sessions that are this much of the window behind what was due did not reach the rate."""
_SEED_OF_SESSION = 1_000_003


@dataclass(frozen=True)
class SlobRun:
    """The proof, and the drive that it came from."""

    proof: Proof
    drove: Drove
    windowed: Windowed | None


@dataclass
class SlobWorker:
    """One session of a schema."""

    name: str
    schema: int
    seed: float
    dialect: str
    warms: bool
    flush: str = ""
    workload = WORKLOAD

    @property
    def told(self) -> Mapping[str, Any]:
        """What another host has to know of it."""
        return {
            "workload": WORKLOAD,
            "name": self.name,
            "schema": self.schema,
            "seed": self.seed,
            "warms": self.warms,
        }

    @classmethod
    def of(cls, told: Mapping[str, Any], connection: Connection) -> SlobWorker:
        """As another host was told. Raises KeyError, TypeError, ValueError."""
        return cls(
            str(told["name"]),
            int(told["schema"]),
            float(told["seed"]),
            connection.dialect,
            bool(told["warms"]),
            _flush(connection),
        )

    def prepare(self, session: Session) -> None:
        words = {"number": self.schema, "seed": self.seed}
        for text in statements(self.dialect, WORKLOAD, "prepare", words):
            session.run(text)
        if self.warms:
            for table in (f"cf1_{self.schema}", f"cf2_{self.schema}"):
                session.run(statement(self.dialect, WORKLOAD, "warm", {"table": table}))
            if self.flush:
                session.run(f"select {self.flush}")
        self._work = statement(self.dialect, WORKLOAD, "work", words)

    @reads_answers
    def work(self, session: Session, from_us: int, until_us: int, state: str) -> Slice:
        ((answer,),) = session.run(self._work, (from_us, until_us, state))
        return slice_of(answer)


def run_slob(
    ctx: Context,
    connection: Connection,
    wanted: SlobParameters,
    all_cached: bool = False,
    sessions: int | None = None,
    hire: Hire | None = None,
) -> SlobRun:
    """Drives the tables that are there, with as many sessions as the parameters say unless `sessions` says otherwise.

    With `all_cached` the first session of each schema reads its tables once before it is ready. `hire` gives the crew where the
    sessions are not to run here.

    Raises WorldError `slob-missing`, `slob-partial`, `proof-foreign`, and what connecting raises.
    """
    with _session(connection) as control:
        loaded, chosen = checked(control, connection.dialect, wanted)
        count = sessions or chosen.sessions
        _make_procedures(control, connection, chosen, count)
        rows: list[_Rows] = []
        fetched = Fetched()

        def at_reading(processes: Sequence[int | None]) -> None:
            """The first reading comes when all are ready: what warmed the cache is none of the run's."""
            if not rows:
                rows.append(_counted_rows(control, connection.dialect))
            fetched(processes)

        workers, schedule = _workers(connection, chosen, count, all_cached), _schedule(chosen)
        crew = hire(workers, schedule) if hire else LocalCrew(ctx, connection, workers, schedule.slices)
        around = Surroundings(ctx, connection, control)
        drove = drive_crew(ctx, connection, crew, schedule, at_reading, around)
        if drove.failure is None:
            rows.append(_counted_rows(control, connection.dialect))
        # Last, because reading a log through the server may be among the rows that it counts.
        around.end()
    return _results(connection, chosen, loaded, drove, fetched, rows, around)


def _schedule(chosen: SlobParameters) -> Schedule:
    """A fixed number of operations leaves no warm-up out: all of them count."""
    return Schedule(0.0 if chosen.work_loop else chosen.warm_up_s, chosen.run_time_s)


def _workers(connection: Connection, chosen: SlobParameters, count: int, warms: bool) -> list[SlobWorker]:
    """Spread over the schemas, each with a seed of its own."""
    draw = random.Random(chosen.seed * _SEED_OF_SESSION)
    places = [(index % chosen.schemas + 1, index // chosen.schemas + 1) for index in range(count)]
    return [
        SlobWorker(
            f"{schema}.{thread}",
            schema,
            draw.random(),
            connection.dialect,
            warms and thread == 1,
            _flush(connection),
        )
        for schema, thread in places
    ]


def _make_procedures(control: Session, connection: Connection, chosen: SlobParameters, sessions: int) -> None:
    """One for each schema, with the run's parameters as constants, so that its statements are planned once."""
    columns = COLUMNS if chosen.redo_stress == "HEAVY" else (COLUMNS[0], COLUMNS[-1])
    per_session = chosen.rate_per_s / sessions
    words: dict[str, Any] = asdict(chosen) | {
        "blocks_updated": chosen.blocks_updated, "rate_per_s": per_session,
        "changes": ", ".join(f"{column} = cast(serial as char(20))" for column in columns),
        "flush": f"perform {call};" if (call := _flush(connection)) else "",
    }  # fmt: skip
    for number in range(1, chosen.schemas + 1):
        for text in statements(connection.dialect, WORKLOAD, "procedure", words | {"number": number}):
            control.run(text)


def _flush(connection: Connection) -> str:
    """The call by which a session hands in its counts at once; empty where there is none."""
    has_it = connection.dialect == "postgres" and connection.database.version_number >= 150000
    return "pg_stat_force_next_flush()" if has_it else ""


_Rows = tuple[float, float, float, int]


@reads_answers
def _counted_rows(control: Session, dialect: str) -> _Rows:
    """Rows found by key, updated, and scanned, as the server counts them, and the tables that it tended."""
    by_key, updated, scanned = control.run(statement(dialect, WORKLOAD, "counts"))[0]
    return float(by_key), float(updated), float(scanned), upkeep(control, dialect)


def _results(
    connection: Connection, chosen: SlobParameters, loaded: Loaded, drove: Drove, fetched: Fetched,
    rows: list[_Rows], around: Surroundings,
) -> SlobRun:  # fmt: skip
    settings, counts = _settings(chosen), counts_of(connection, drove)
    notes = (*_notes(connection, drove, chosen), *around.notes())
    base = Proof(
        workload="slob", database=connection.database, settings=settings, holds=False, notes=notes, **around.facts(counts)
    )  # fmt: skip
    if not drove.snapshots:
        why = () if drove.failure else ("it ended before the window opened",)
        return _nothing(base, drove, chosen, (*why, *around.doubts()))
    if not any(drove.counted_slices(track) for track in drove.tracks):
        why = ("no session handed in anything in the window",)
        return _nothing(base, drove, chosen, (*why, *around.doubts()))
    made, whole = _windowed(drove, chosen), _windowed(drove.without_lost, chosen)
    of_drive = connection.counts(drove.before, drove.snapshots[-1])
    agreements = tuple(_agreements(drove, made, loaded, counts, of_drive, rows))
    doubts = (
        *_doubts(drove, whole, agreements),
        *around.doubts(),
        *_missed_rate(chosen, drove, whole),
        *(() if chosen.work_loop else (*uneven(whole), *unsteady(whole))),
    )
    proof = base.model_copy(
        update={
            "holds": not doubts, "doubts": doubts, "window": whole.window, "operations_per_s": whole.operations_per_s,
            **rates(counts, whole.session_s),
            "operations": whole.operations, "sessions": made.sessions, "slices": whole.slices, "agreements": agreements,
            "hosts": _hosts(drove, chosen),
            "origin": origin(counts, whole.session_s, connection.database, fetched.in_window(drove)),
            "commit": commit_parts(made, counts),
            "lateness_us_max": float(max(_lateness(drove), default=0)) if chosen.rate_per_s else None,
        }
    )  # fmt: skip
    return SlobRun(proof, drove, made)


def _nothing(base: Proof, drove: Drove, chosen: SlobParameters, doubts: Sequence[str]) -> SlobRun:
    """Of a window in which nothing was done: why, and what became of the hosts."""
    update = {"doubts": tuple(dict.fromkeys((*_whys(drove), *doubts))), "hosts": _hosts(drove, chosen)}
    return SlobRun(base.model_copy(update=update), drove, None)


def _hosts(drove: Drove, chosen: SlobParameters) -> ProofHosts | None:
    return hosts_of(drove, lambda part: _windowed(part, chosen), is_paced=chosen.pauses)


def _whys(drove: Drove) -> Iterator[str]:
    """What ended it, or a part of it."""
    yield from doubts_of_lost(drove)
    if drove.failure is not None:
        yield drove.failure.message


def _windowed(drove: Drove, chosen: SlobParameters) -> Windowed:
    return windowed(drove, chosen.pauses, bool(chosen.work_loop))


def _settings(chosen: SlobParameters) -> dict[str, str]:
    return {field.name: str(getattr(chosen, field.name)) for field in fields(chosen)}


def _agreements(
    drove: Drove,
    made: Windowed,
    loaded: Loaded,
    counts: ServerCounts,
    of_drive: ServerCounts,
    rows: list[_Rows],
) -> Iterator[Agreement]:
    """What both sides saw of the same operations: blocks over the whole drive, commits over the window or the drive."""
    for table in loaded.tables:
        if table.rows != table.blocks:
            yield agreement(
                f"rows and blocks of {table.table}",
                table.rows,
                table.blocks,
                "one row must lie in each block",
                0.0,
            )
    if all(table.rows == table.blocks for table in loaded.tables):
        total = float(sum(table.rows for table in loaded.tables))
        blocks = float(sum(table.blocks for table in loaded.tables))
        yield agreement("rows and blocks of the tables", total, blocks, "one row lies in each block", 0.0)
    whole = [piece for track in drove.tracks for _, piece in track.slices]
    if len(rows) == 2:
        grown = [after - before for before, after in zip(rows[0], rows[1], strict=True)]
        yield _of_rows(drove, "read by key", ("select", "update"), grown[0], "rows found by an index")
        yield _of_rows(drove, "updated", ("update",), grown[1], "rows updated")
        if _touched(whole, "scan"):
            yield _of_rows(drove, "scanned", ("scan",), grown[2], "rows read by scans")
    if len(drove.snapshots) < 2:
        return
    others = others_commits(made.window.duration_s, rows[-1][3] - rows[0][3])
    yield (
        _commits_of_window(drove, made, counts, others)
        if of_drive.counts_at_return
        else _commits_of_drive(drove, whole, of_drive, others)
    )


def _touched(pieces: Iterable[Slice], *kinds: str) -> float:
    """Blocks of these kinds of operations, by the sessions' own count."""
    return float(
        sum(piece.counted[kind].blocks for piece in pieces for kind in kinds if kind in piece.counted)
    )


def _of_rows(drove: Drove, what: str, kinds: Sequence[str], by_server: float, how: str) -> Agreement:
    """Blocks over the whole drive by both counts; where hosts were lost the server may have counted some that nobody told of."""
    ours = _touched((piece for track in drove.tracks for _, piece in track.slices), *kinds)
    lost = untold(drove, lambda piece: _touched((piece,), *kinds))
    how = f"{how}, over both{of_lost(lost)}"
    return agreement(f"blocks {what}, with warm-up", ours, by_server, how, unheard=lost)


def _commits_of_window(drove: Drove, made: Windowed, counts: ServerCounts, others: int) -> Agreement:
    done = sum(count.operations for name, count in made.counted.items() if name != COMMIT)
    ours = made.returns + len(drove.snapshots) - 1 if counts.calls_commit and drove.edge_clean else 0
    how = (
        f"transactions committed; {ours:,} of ours are returns of sessions and readings, "
        f"and up to {others:,} may be the server's own"
    )
    lost = untold(drove, lambda piece: piece.operations)
    how = counts.unknown_because or f"{how}{of_lost(lost)}"
    return agreement(
        "commits in the window", float(done + ours), counts.commits, how, COMMITS_SHARE_MAX, others, lost
    )


def _commits_of_drive(drove: Drove, whole: Sequence[Slice], of_drive: ServerCounts, others: int) -> Agreement:
    """From when the sessions were ready to when they had ended: a reading beside them would hold some of what they do then."""
    done = sum(piece.operations for piece in whole)
    failed = sum(count.failed for piece in whole for name, count in piece.counted.items() if name != COMMIT)
    of_failed = f" and {failed:,} those of operations that failed" if failed else ""
    lost = untold(drove, lambda piece: piece.operations)
    how = f"commits; up to {others:,} may be of others{of_failed}{of_lost(lost)}"
    counted = of_drive.commits if of_drive.commit_statements is None else of_drive.commit_statements
    known = counted if drove.failure is None else None
    return agreement(
        "commits, with warm-up", float(done), known, how, COMMITS_SHARE_MAX, others + failed, lost
    )


def _doubts(drove: Drove, made: Windowed, agreements: Sequence[Agreement]) -> tuple[str, ...]:
    found = [f"session {session.name}: {session.reason}" for session in made.sessions if not session.whole]
    found += [_disagreement(one) for one in agreements if one.holds is False]
    return tuple(dict.fromkeys((*_whys(drove), *found)))


def _missed_rate(chosen: SlobParameters, drove: Drove, made: Windowed) -> Iterator[str]:
    """A rate that was not reached: then the backlog grows, and latency says only how long the run was. Of hosts that were
    lost neither what was due there counts nor their share of the rate.

    Arrivals are random, so that fewer may have been due than on average; a backlog is what was due and had not begun.
    """
    there = [track for track in drove.tracks if not track.is_lost]
    asked_per_s = chosen.rate_per_s * len(there) / len(drove.tracks)
    if not asked_per_s:
        return
    window_us = drove.closes_us - drove.opens_us
    behind_us = [drove.closes_us - due_us for track in there if (due_us := _due_us(track)) is not None]
    behind_share = sum(max(0.0, one) for one in behind_us) / len(behind_us) / window_us if behind_us else 0.0
    if behind_share > _BEHIND_SHARE_MAX:
        yield (
            f"{asked_per_s:,.0f} operations per second were asked for and {made.operations_per_s:,.0f} were reached: "
            f"at the end the sessions were {format_share(behind_share)} of the window behind, so latencies say only how long it ran"
        )


def _due_us(track: Track) -> float | None:
    """When a session's next operation was due as it ended; None where it handed in nothing."""
    due = json.loads(track.slices[-1][1].state).get("due") if track.slices else None
    return None if due is None else float(due)


def _disagreement(one: Agreement) -> str:
    share = format_share(abs(one.difference_share or 0.0), 1)
    return f"{one.what}: the sessions count {one.sessions_count:,.0f} and the server {one.server_count:,.0f}, {share} apart"


def _lateness(drove: Drove) -> Iterator[int]:
    return (piece.late_us for track in drove.tracks for piece in drove.counted_slices(track))


def _notes(connection: Connection, drove: Drove, chosen: SlobParameters) -> Iterator[Note]:
    yield from connection.notes
    if chosen.work_loop:
        message = (
            f"WORK_LOOP ends each session after {chosen.work_loop:,} operations: all of them count, no warm-up is left out, "
            "and the run time is only the latest end"
        )
        yield Note(code="slob-work-loop", message=message)
    if not drove.edge_clean:
        message = (
            "the server's counters could not be read before sessions had handed in a second of the window, as on a machine"
            " with too many sessions for its CPUs: what they say of the window is unknown"
        )
        yield Note(code="edge-blurred", message=message)
    if connection.database.settings.get("synchronous_commit") == "off":
        yield Note(
            code="commit-not-waited", message="synchronous_commit is off: a commit does not wait for the log"
        )


@contextmanager
def _session(connection: Connection) -> Iterator[Session]:
    session = connection.session("plimsoll slob control")
    try:
        yield session
    finally:
        session.close()
