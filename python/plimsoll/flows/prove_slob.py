"""`plimsoll prove slob`: make tables, drive them, hold the storage's line against the result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from plimsoll.base.errors import UsageError
from plimsoll.base.limits import PROOF_MEMORY_SHARE_MAX, SWEEP_SESSIONS_MAX
from plimsoll.base.units import counted, format_bytes, format_share
from plimsoll.context import Context
from plimsoll.databases import AskPassword, Connection, Session
from plimsoll.facts import Note, Proof, Run, Sweep, SweepPoint
from plimsoll.facts.proof import LEFT_OUT
from plimsoll.flows.notes import by_code
from plimsoll.flows.prove import Against, check_against, kept, lasting_database, proof_database, proof_folder
from plimsoll.flows.prove_host import beside
from plimsoll.flows.prove_hosts import HostsAtWork, ProofHosts, hosts_if_any, location_here
from plimsoll.flows.record import record
from plimsoll.predict.comparison import rate_of, seconds_of
from plimsoll.predict.processors import busy_share
from plimsoll.predict.scalability import KNEE_GAIN, knee, scalability
from plimsoll.proof.slob import tables
from plimsoll.proof.slob.asked import parameters_of
from plimsoll.proof.slob.parameters import SlobParameters
from plimsoll.proof.slob.run import run_slob
from plimsoll.requests.proofs import EMBEDDED, chosen_database
from plimsoll.requests.prove_slob import Focus, ProveSlobRequest

_SESSIONS = "sessions"
_CACHED_SHARE = 0.9
"""Where more of the blocks than this came from the database's cache, the storage was hardly asked."""
_CACHE_FACTOR = 1.4
"""Indexes, maps of free space and new versions of rows beside the tables, where a cache is to hold everything."""


@dataclass(frozen=True)
class SlobProof:
    """What is to be driven, and how. `folder` is where an embedded database lies."""

    database: str
    parameters: SlobParameters
    focus: Focus = "physical"
    folder: Path | None = None
    against: Against | None = None
    sessions_max: int | None = None
    """Of a sweep."""
    licensed: bool = False
    """Whether the user holds a licence of Oracle's Diagnostics Pack."""
    notes: tuple[Note, ...] = ()
    hosts: ProofHosts | None = None
    """From where sessions are driven; None from here."""
    location: str = ""
    """As the database was named: with a place for the host's name where each reaches it by a way of its own."""


def slob_proof(asked: ProveSlobRequest) -> SlobProof:
    """What a request means, before anything is opened. Raises what `parameters_of` and `ProofHosts.of` raise, and UsageError
    (`database-missing`, `proof-embedded`).
    """
    made, notes = parameters_of(asked)
    hosts = ProofHosts.of(asked)
    database = chosen_database(asked.database)
    if hosts is not None:
        hosts.check(database)
        if made.sessions < len(hosts.names):
            message = f"{counted(made.sessions, 'session')} cannot be driven from {len(hosts.names)} hosts"
            hint = "Raise --threads or --schemas: all hosts share the sessions."
            raise UsageError("slob-parameter", message, hint)
    return SlobProof(
        database=location_here(database, hosts),
        location=database,
        parameters=made,
        focus=asked.focus,
        folder=proof_folder(asked.folder),
        against=Against.of(asked.against, asked.slo, asked.while_in_use),
        sessions_max=asked.sessions_max,
        licensed=asked.licensed == "diagnostics",
        notes=notes,
        hosts=hosts,
    )


def prove_slob(ctx: Context, asked: SlobProof, ask_password: AskPassword | None = None) -> Run:
    """Drives the database, stores and returns the run; an embedded database is made and loaded first.

    A host that is lost makes it one in part; what it had told is kept.
    """
    opened = partial(_prepared, ctx, asked)
    with hosts_if_any(ctx, asked.hosts, asked.location, ask_password, opened) as (connection, at_work):
        return _driven(ctx, connection, asked, at_work=at_work)


def sweep_slob(ctx: Context, asked: SlobProof, ask_password: AskPassword | None = None) -> Run:
    """Proofs with 1, 2, 4 … sessions for each schema until throughput bends, each a stored run; the run returned holds them all.

    A proof that is not valid is left out of the fit, and a note says so.
    """
    started_at = ctx.clock.now()
    with _prepared(ctx, asked, ask_password) as connection:
        runs = list(_until_it_bends(ctx, connection, asked))
        database = connection.database
    points = [_point(run) for run in runs if run.proof is not None and run.proof.holds]
    knee_sessions, reason = knee(points)
    sweep = Sweep(
        points=tuple(points), knee_sessions=knee_sessions, reason=reason, scalability=scalability(points),
        settings={"database": f"{database.kind} {database.version}, {database.location}", **_in_common(runs)},
    )  # fmt: skip
    notes = (*by_code(note for run in runs for note in run.notes), *_left_out(runs))
    return record(
        ctx,
        "prove",
        f"sweep of slob on {database.location}",
        started_at,
        interrupted=ctx.cancel.is_set,
        sweep=sweep,
        notes=notes,
    )


def _in_common(runs: Sequence[Run]) -> dict[str, str]:
    """Settings that all proofs share."""
    first, *others = [run.proof.settings for run in runs if run.proof is not None] or [{}]
    return {name: value for name, value in first.items() if all(other.get(name) == value for other in others)}


def _left_out(runs: Sequence[Run]) -> Iterator[Note]:
    for run in runs:
        if run.proof is not None and not run.proof.holds:
            doubt = run.proof.doubts[0] if run.proof.doubts else "it is not valid"
            said = "it was interrupted" if run.interrupted else doubt
            message = (
                f"the proof with {run.proof.settings[_SESSIONS]} sessions ({run.id}) is left out: {said}"
            )
            yield Note(code=LEFT_OUT, message=message)


@contextmanager
def _prepared(ctx: Context, asked: SlobProof, ask_password: AskPassword | None) -> Iterator[Connection]:
    """The database with its tables: an embedded one made and loaded now, another one as it is."""
    check_against(asked.against)
    own = asked.database == EMBEDDED
    settings = _server_settings(asked) if own else None
    with proof_database(ctx, asked.database, ask_password, asked.folder, settings) as connection:
        if own:
            tables.setup(ctx, connection, asked.parameters)
        yield connection


def _until_it_bends(ctx: Context, connection: Connection, asked: SlobProof) -> Iterator[Run]:
    """One more doubling after the first that brought too little, so that the bend is seen and not guessed."""
    # All schemas from the first on: else more sessions would also mean more data.
    sessions, best, poor = asked.parameters.schemas, 0.0, 0
    most = max(sessions, asked.sessions_max or SWEEP_SESSIONS_MAX)
    while poor < 2:
        run = _driven(ctx, connection, asked, sessions)
        yield run
        rate = (run.proof.operations_per_s if run.proof else None) or 0.0
        if run.interrupted or ctx.cancel.is_set or not rate:
            return
        ctx.remark("prove", f"{sessions} sessions: {rate:,.0f} operations per second")
        poor = poor + 1 if rate < KNEE_GAIN * best else 0
        if sessions == most:
            return
        best, sessions = max(best, rate), min(sessions * 2, most)


def _point(run: Run) -> SweepPoint:
    assert run.proof is not None, "the caller has looked"
    rate = rate_of(seconds_of(run.proof))
    slowest = [
        one.latency_us.p99 for one in run.proof.operations if one.name != "commit" and one.latency_us.p99
    ]
    return SweepPoint(
        sessions=len(run.proof.sessions), operations_per_s=run.proof.operations_per_s or 0.0, ci95=rate.ci95,
        latency_us_p99=max(slowest, default=None), processors_busy_share=busy_share(run.proof.host_seconds),
        cpu_use=run.proof.cpu_use, run=run.id,
    )  # fmt: skip


def _driven(
    ctx: Context,
    connection: Connection,
    asked: SlobProof,
    sessions: int | None = None,
    at_work: HostsAtWork | None = None,
) -> Run:
    """One proof, with the host and the storage's line beside it, stored."""
    started_at = ctx.clock.now()
    with beside(ctx) as host, connection.own_report(asked.licensed) as told:
        hire = None if at_work is None else at_work.hire
        found = run_slob(ctx, connection, asked.parameters, asked.focus != "physical", sessions, hire)
        proof = host.added(found.proof, connection)
    told = (*told, *_other_size(asked.parameters, proof.settings), *_cached(asked.focus, proof))
    count = str(sessions or asked.parameters.sessions)
    of_hosts = {} if asked.hosts is None else {"hosts": ", ".join(asked.hosts.names)}
    settings = {"focus": asked.focus, _SESSIONS: count, **proof.settings, **of_hosts}
    proof = proof.model_copy(update={"settings": settings})
    notes = (*(() if at_work is None else at_work.notes), *asked.notes, *told)
    return kept(
        ctx, connection, _title(connection, asked), started_at, proof,
        snapshots=found.drove.snapshots, against=asked.against, failure=found.drove.failure, notes=notes,
    )  # fmt: skip


def _title(connection: Connection, asked: SlobProof) -> str:
    hosts = "" if asked.hosts is None else f" from {counted(len(asked.hosts.names), 'host')}"
    return f"slob on {connection.database.location}{hosts}"


def set_up(ctx: Context, asked: SlobProof, ask_password: AskPassword | None = None) -> tables.Loaded:
    """Makes and verifies the tables in a database that stays."""
    with lasting_database(ctx, asked.database, ask_password) as connection:
        return tables.setup(ctx, connection, asked.parameters)


def look(ctx: Context, asked: SlobProof, ask_password: AskPassword | None = None) -> tables.Loaded | None:
    """What tables are there."""
    return _with_session(ctx, asked, ask_password, tables.status)


def take_away(
    ctx: Context, asked: SlobProof, ask_password: AskPassword | None = None
) -> tables.Loaded | None:
    """Drops our tables; returns what was there."""
    return _with_session(ctx, asked, ask_password, tables.drop)


def _with_session(
    ctx: Context,
    asked: SlobProof,
    ask_password: AskPassword | None,
    what: Callable[[Session, str], tables.Loaded | None],
) -> tables.Loaded | None:
    with lasting_database(ctx, asked.database, ask_password) as connection:
        session = connection.session("plimsoll slob")
        try:
            return what(session, connection.dialect)
        finally:
            session.close()


def _other_size(wanted: SlobParameters, settings: dict[str, str]) -> Iterator[Note]:
    """Tables have the size that they were set up with."""
    if wanted.scale != SlobParameters().scale and settings["scale"] != str(wanted.scale):
        message = f"the tables that are there have {settings['scale']} blocks each; --scale is for setup and was passed over"
        yield Note(code="slob-scale", message=message)


def _cached(focus: Focus, proof: Proof) -> Iterator[Note]:
    """Physical reads were wanted, and the database had the data in its own cache."""
    reads, hits = proof.logical_reads_per_s, proof.cache_hits_per_s
    if focus == "physical" and reads and hits is not None and hits > _CACHED_SHARE * reads:
        message = (
            f"{format_share(hits / reads)} of the blocks were in the database's own cache: this says little of the storage; raise"
            " --scale or give the database a smaller cache"
        )
        yield Note(code="slob-cached", message=message)


def _server_settings(asked: SlobProof) -> dict[str, str]:
    """Of an embedded server: connections for all sessions, and for all but physical reads a cache that holds everything."""
    settings = {"max_connections": str(max(asked.parameters.sessions, asked.sessions_max or 0) + 20)}
    if asked.focus == "physical":
        return settings
    wanted = int(asked.parameters.bytes_of_data * _CACHE_FACTOR) + (64 << 20)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if wanted > memory * PROOF_MEMORY_SHARE_MAX:
        data = format_bytes(asked.parameters.bytes_of_data)
        message = f"a cache for all of {data} does not fit into this machine's {format_bytes(memory)}"
        raise UsageError("slob-memory", message, "Lower --scale or --schemas, or use --focus physical.")
    return settings | {"shared_buffers": f"{wanted >> 20}MB"}
