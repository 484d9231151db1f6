"""A database server as what `plimsoll host slice prove` measures: the slice's PostgreSQL, driven as by `plimsoll prove slob`.

It is the same server in its slice and without slices: its processes are moved, and go back after each trial. Its shared memory
stays on the nodes where it is, and counts for the slice's groups.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path

from plimsoll.base.errors import UsageError, WorldError
from plimsoll.base.redact import redact_database
from plimsoll.context import Context
from plimsoll.databases import AskPassword, Connection, embedded
from plimsoll.demand.local import is_here
from plimsoll.facts import ServerTrial
from plimsoll.flows.host_slice_io import in_place, looks
from plimsoll.flows.host_slice_trials import Done, Turn
from plimsoll.flows.prove import proof_database
from plimsoll.flows.prove_host import data_folder
from plimsoll.host.cpu_users import main_process
from plimsoll.host.noise import NoisePlace, is_inside
from plimsoll.host.process_places import Watched
from plimsoll.host.server_groups import ServerGroups
from plimsoll.native.latency import latency_of_counts
from plimsoll.proof.sessions import Drove
from plimsoll.proof.slices import COMMIT, latency_counts
from plimsoll.proof.slob import tables
from plimsoll.proof.slob.asked import parameters_of
from plimsoll.proof.slob.conf import parse_settings
from plimsoll.proof.slob.parameters import BY_FIELD, SlobParameters
from plimsoll.proof.slob.run import SlobRun, run_slob
from plimsoll.requests.host_slice_prove import HostSliceProveRequest
from plimsoll.requests.proofs import EMBEDDED, chosen_database
from plimsoll.requests.prove_slob import ProveSlobRequest

_SEED_BITS = 31
_OPTIONS = {"run_time_s": "--runtime", "warm_up_s": "--warm-up", "seed": "--seed"}
"""Parameters that are those of all drivers."""
_OF_LOADS = ("scale", "scan_table", "load_parallel")
"""Parameters of tables, and of making them."""


def slob_of(asked: HostSliceProveRequest) -> SlobParameters:
    """The parameters of each trial, in whole seconds. Raises UsageError `slob-parameter`, `slob-conf`, `driver-database`."""
    database = chosen_database(asked.database)
    if database != EMBEDDED and not database.startswith(("postgresql:", "postgres:")):
        message = f"--driver slob drives PostgreSQL in a slice, and --database names another one: {redact_database(database)}"
        raise UsageError(
            "driver-database", message, "Name the slice's PostgreSQL, or leave it out for one of our own."
        )
    _refuse_set_elsewhere(asked.more)
    if database != EMBEDDED:
        _refuse_set_of_loads(asked.more)
    wanted = ProveSlobRequest(
        database=database,
        schemas=asked.schemas,
        threads=asked.threads,
        scale=asked.scale,
        update_pct=asked.update_pct,
        more=asked.more,
        run_time_s=float(ceil(asked.runtime_s)),
        warm_up_s=float(ceil(asked.warm_up_s)),
    )
    return parameters_of(wanted)[0]


def _refuse_set_elsewhere(settings: Sequence[str]) -> None:
    """What options of this command say of each trial. Raises UsageError `slob-parameter`, `slob-conf`."""
    given = parse_settings(settings).given
    for name, option in _OPTIONS.items():
        if name in given:
            message = f"--set: {BY_FIELD[name].shown} is passed over: {option} says it of each trial"
            raise UsageError("slob-parameter", message, f"Leave it out, and use {option}.")


def _refuse_set_of_loads(settings: Sequence[str]) -> None:
    """What tables are made with, on a database where they are there already. Raises UsageError `slob-parameter`, `slob-conf`."""
    given = parse_settings(settings).given
    for name in _OF_LOADS:
        if name in given:
            shown = BY_FIELD[name].shown
            message = f"--set: {shown} has no meaning on a database of your own: its tables are those that setup has loaded"
            again = f"plimsoll prove slob setup --database URL --set {shown}=VALUE"
            hint = f"Leave it out, or load them anew with `{again}`."
            raise UsageError("slob-parameter", message, hint)


@contextmanager
def slob_work(
    ctx: Context,
    asked: HostSliceProveRequest,
    place: NoisePlace,
    folders: Sequence[Path],
    aside: Sequence[Path],
    ask_password: AskPassword | None,
) -> Iterator[SlobWork]:
    """The server of the slice, `place` and `folders` being its groups, and `aside` those that some of its processes may be in.

    Raises WorldError `server-elsewhere`, `server-not-in-slice`, UsageError `driver-database`, and what opening the database raises.
    """
    chosen, database = slob_of(asked), chosen_database(asked.database)
    with ExitStack() as stack:
        with ExitStack() as begin:
            if database == EMBEDDED:
                begin.enter_context(in_place(place))
            connection = stack.enter_context(
                proof_database(ctx, database, ask_password, None, _server_settings(chosen))
            )
            groups = _groups_of(ctx, connection, folders, aside)
            if database == EMBEDDED:
                tables.setup(ctx, connection, chosen)
        groups.check(asked.slice)
        yield SlobWork(connection, chosen, groups, asked.client == "inside")


def _server_settings(chosen: SlobParameters) -> dict[str, str]:
    """Of an embedded server."""
    return {"max_connections": str(chosen.sessions + 20)}


def _groups_of(
    ctx: Context, connection: Connection, folders: Sequence[Path], aside: Sequence[Path]
) -> ServerGroups:
    where = connection.database.location
    hint = "Run it on the server's own host, outside of containers, as root."
    if not is_here(connection):
        raise WorldError(
            "server-elsewhere", f"no process of the server at {where} is to be seen on this host", hint
        )
    leader = main_process(connection.server_process)
    if leader is None:
        raise WorldError(
            "server-elsewhere", f"the first process of the server at {where} is not to be seen", hint
        )
    return ServerGroups(ctx.scratch, leader, tuple(folders), tuple(aside), embedded.default_folder())


@dataclass(frozen=True)
class SlobWork:
    """The same tables and the same mix in each trial, with other keys."""

    connection: Connection
    parameters: SlobParameters
    groups: ServerGroups
    is_client_inside: bool

    @property
    def trial_s(self) -> None:
        """See `Work`: a checkpoint before it and its snapshots take as long as what they write to does, beside noise too."""

    @property
    def data_folder(self) -> Path | None:
        """Where the server says that its data lie; None where it does not say."""
        return data_folder(self.connection)

    @property
    def settings(self) -> dict[str, str]:
        """What is driven, and how."""
        database, chosen = self.connection.database, self.parameters
        return {
            "database": f"{database.kind} {database.version}, {database.location}",
            "sessions": str(chosen.sessions),
            "updates": f"{chosen.update_pct} %",
            "blocks of an operation": str(chosen.work_unit),
        }

    def processes(self) -> list[int]:
        """See `Work`."""
        return self.groups.family()

    def measured(self, ctx: Context, turn: Turn) -> Done:
        """See `Work`. Raises what `run_slob`, `ServerGroups.away` and `Noise` raise."""
        place, is_away = turn.place, turn.key[0] == "unsliced"
        seen = _Seen(self.groups, place, place.folders if is_away else None, self.is_client_inside)
        with ExitStack() as stack:
            if is_away:
                stack.enter_context(self.groups.away(place.folders, place.cpus))
            if self.is_client_inside:
                stack.enter_context(in_place(place))

            def look() -> None:
                seen.look()
                if turn.noise is not None:
                    turn.noise.look()

            with looks(look):
                found = run_slob(
                    ctx, self.connection, replace(self.parameters, seed=turn.seed % (1 << _SEED_BITS))
                )
            noise = None if turn.noise is None else turn.noise.stopped()
            in_group = seen.in_group()
        ctx.cancel.check()
        if found.drove.failure is not None:
            raise found.drove.failure
        return Done(_trial(found, seen), in_group, seen.watched, noise)


@dataclass
class _Seen:
    """The server's processes during a trial. `away` are the groups that they were moved to; None: they are in the slice."""

    groups: ServerGroups
    place: NoisePlace
    away: Sequence[Path] | None
    with_client: bool
    watched: Watched = field(default_factory=Watched)
    processes: set[int] = field(default_factory=set[int])
    outside: set[int] = field(default_factory=set[int])

    def look(self) -> None:
        """One look at their groups and CPUs."""
        found, outside = self.groups.look(self.away)
        self.processes |= set(found)
        self.outside |= set(outside)
        self.watched.look((*found, os.getpid()) if self.with_client else found, self.place.cpus)

    def in_group(self) -> bool:
        """Whether all of them were, and still are, and so is the client where it is to be inside."""
        self.look()
        return not self.outside and (not self.with_client or is_inside(self.place.folders, [os.getpid()]))


def _trial(found: SlobRun, seen: _Seen) -> ServerTrial:
    made = found.windowed
    counted = {} if made is None else made.counted
    latencies: Counter[int] = Counter()
    for name, one in counted.items():
        if name != COMMIT:
            latencies.update(one.latencies)
    return ServerTrial(
        runtime_s=found.drove.schedule.run_s if made is None else made.window.duration_s,
        operations=sum(one.operations for name, one in counted.items() if name != COMMIT),
        operations_per_s=0.0 if made is None else made.operations_per_s,
        latency_us=latency_of_counts(latency_counts(latencies)),
        sessions=len(found.drove.tracks),
        processes=len(seen.processes),
        doubts=tuple(_doubts(found, seen)),
    )


def _doubts(found: SlobRun, seen: _Seen) -> Iterator[str]:
    """Why it is none. That sessions wait, or are slower at times, is what noise is there for, and no doubt."""
    for one in found.proof.agreements:
        if one.holds is False:
            yield f"{one.what}: the sessions counted {one.sessions_count:,.0f} and the server {one.server_count or 0.0:,.0f}"
    for one in found.proof.operations:
        if one.failed:
            yield f"{one.failed:,} operations failed ({one.name})"
    yield from _stopped(found.drove)
    unseen = [one.name for one in found.drove.tracks if one.server_process not in seen.processes]
    if unseen:
        yield f"the process of session {unseen[0]} was not seen among those of the server"


def _stopped(drove: Drove) -> Iterator[str]:
    for track in drove.tracks:
        mine = drove.counted_slices(track)
        if track.error is not None:
            yield f"session {track.name} ended with: {track.error.message}"
        elif not mine or (track.slices[-1][0] < drove.schedule.slices and not mine[-1].done):
            yield f"session {track.name} stopped before the end of the window"
