"""What all proofs share: the database they drive, the host beside it, and the storage's line held against them.

Here alone prediction and proof meet: what drives the database never sees what was predicted of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from plimsoll.base.errors import PlimsollError, UsageError
from plimsoll.base.limits import DEFAULT_SLO
from plimsoll.base.units import format_rate, format_share
from plimsoll.context import Context
from plimsoll.databases import AskPassword, Connection, embedded, open_database
from plimsoll.demand.snapshots import demand_of_snapshots
from plimsoll.demand.workload import workload_of
from plimsoll.facts import CpuUse, Demand, Line, Note, Prediction, Proof, Run, Snapshot
from plimsoll.flows.line import LineSearch, line_target, search_line
from plimsoll.flows.record import record
from plimsoll.predict.processors import OTHERS_SHARE_MAX, busy_share, is_bound_by_itself
from plimsoll.requests.line import LineRequest
from plimsoll.requests.proofs import EMBEDDED
from plimsoll.supply import remote
from plimsoll.supply.simulation import is_simulated
from plimsoll.supply.slo import parse_slo
from plimsoll.supply.targets import check_databases

_NEAR_SHARE = 0.25
"""A database that came this close to the line was held back by the storage, however busy the CPUs were."""


@dataclass(frozen=True)
class Against:
    """Which storage a proof is held against: a target for `plimsoll line`, and the objective."""

    target: str
    slo: str = DEFAULT_SLO
    while_in_use: bool = False

    @classmethod
    def of(cls, target: str | None, slo: str, while_in_use: bool) -> Against | None:
        """None without a target."""
        return None if target is None else cls(target, slo, while_in_use)


@dataclass(frozen=True)
class Predicted:
    """The prediction, and the line that it is."""

    prediction: Prediction
    line: Line | None = None
    notes: tuple[Note, ...] = ()


@contextmanager
def proof_database(
    ctx: Context,
    location: str,
    ask_password: AskPassword | None,
    folder: Path | None = None,
    server_settings: Mapping[str, str] | None = None,
) -> Iterator[Connection]:
    """The database at `location`; an embedded one is started in `folder` with these settings and is gone at the end."""
    if location == EMBEDDED:
        with (
            embedded.running(ctx, folder, server_settings) as server,
            embedded.connected(ctx, server) as connection,
        ):
            yield connection
    else:
        with open_database(ctx, location, ask_password) as connection:
            yield connection


def lasting_database(
    ctx: Context, location: str, ask_password: AskPassword | None
) -> AbstractContextManager[Connection]:
    """A database that is there after this command, for tables that are to stay. Raises UsageError `proof-embedded`."""
    if location == EMBEDDED:
        message = "the embedded database lives only as long as one command"
        hint = "Leave the action out: it is loaded, driven and removed in one go. Or name a database with --database."
        raise UsageError("proof-embedded", message, hint)
    return proof_database(ctx, location, ask_password)


def kept(
    ctx: Context,
    connection: Connection,
    title: str,
    started_at: datetime,
    proof: Proof,
    *,
    snapshots: Sequence[Snapshot] = (),
    looks: Sequence[Snapshot] = (),
    against: Against | None = None,
    failure: PlimsollError | None = None,
    notes: Sequence[Note] = (),
) -> Run:
    """The stored run of a proof: with the demand that `snapshots` show, and the storage's line at its mix if wanted."""
    demand = demand_of_snapshots(connection.database, snapshots, looks)
    line = None
    if against is not None and not ctx.cancel.is_set and failure is None:
        try:
            line = predicted(ctx, against, proof, demand)
        except PlimsollError as error:
            # The proof was made; it is kept whatever becomes of the line.
            line = _nothing(against, error.message, demand)
    said = (Note(code=failure.id, message=failure.message),) if failure else ()
    return record(
        ctx, "prove", title, started_at, interrupted=ctx.cancel.is_set, proof=proof, demand=demand,
        line=line.line if line else None, prediction=line.prediction if line else None,
        notes=(*notes, *proof.notes, *said, *(line.notes if line else ())),
    )  # fmt: skip


def proof_folder(name: str | None) -> Path | None:
    """Where an embedded database shall lie. Raises UsageError `nfs-unfit`."""
    remote.refuse("--folder", name)
    return None if name is None else Path(name)


def check_against(against: Against | None) -> None:
    """Refuses an objective or a target that cannot be, before anything is driven. Raises what `plimsoll line` would."""
    if against is None:
        return
    parse_slo(against.slo)
    remote.refuse("--against", against.target)
    if is_simulated(against.target):
        return
    if not os.path.exists(against.target):
        hint = "Name a file, a device or a folder that is there."
        raise UsageError("target-missing", f"there is no {against.target} to hold the proof against", hint)
    check_databases(Path(against.target), against.while_in_use)


def predicted(ctx: Context, against: Against, proof: Proof, demand: Demand | None) -> Predicted:
    """The storage's line at the proof's own mix, beside the rate that the proof reached. Only the mix is taken from the proof."""
    if demand is None or demand.mean is None:
        return _nothing(against, "the database's demand in the window is unknown", demand)
    mix = workload_of(demand.model_copy(update={"peak": demand.mean}))
    if mix.workload is None:
        return _nothing(against, mix.notes[-1].message, demand)
    request = LineRequest(target=against.target, slo=against.slo, while_in_use=against.while_in_use)
    wanted = LineSearch(request, mix.workload)
    with line_target(ctx, wanted) as made:
        line, notes = search_line(ctx, made, wanted)
    return Predicted(_beside(against, line, demand.mean.iops, proof), line, (*mix.notes, *notes))


def _nothing(against: Against, why: str, demand: Demand | None) -> Predicted:
    proved_iops = demand.mean.iops if demand and demand.mean else None
    return Predicted(
        Prediction(
            target=against.target, slo=against.slo, line_iops=None, proved_iops=proved_iops, error_share=None,
            limited_by="unknown", reason=f"nothing can be predicted: {why}",
        )
    )  # fmt: skip


def _beside(against: Against, line: Line, proved_iops: float | None, proof: Proof) -> Prediction:
    error = None
    if line.line_iops is not None and proved_iops:
        error = (line.line_iops - proved_iops) / proved_iops
    limited_by = _limit(error, proof)
    return Prediction(
        target=against.target, slo=line.slo.text, line_iops=line.line_iops, proved_iops=proved_iops, error_share=error,
        limited_by=limited_by, reason=_in_words(line, proved_iops, error, limited_by, proof.cpu_use),
    )  # fmt: skip


def _limit(error: float | None, proof: Proof) -> Literal["storage", "database", "unknown"]:
    """The storage where the database came close to the line; the database where it stayed below it on CPUs that it kept busy.

    Below the line with CPUs to spare its sessions were too few, or asked for no more; where others used the CPUs it got too
    few of them: neither was at its limit.
    """
    if error is None:
        return "unknown"
    if error <= _NEAR_SHARE:
        return "storage"
    return "database" if is_bound_by_itself(busy_share(proof.host_seconds), proof.cpu_use) else "unknown"


def _in_words(
    line: Line, proved_iops: float | None, error: float | None, limited_by: str, use: CpuUse | None
) -> str:
    if error is None:
        return f"there is no error to state: {line.reason}"
    said = f"predicted {format_rate(line.line_iops)} and proved {format_rate(proved_iops)} I/Os per second of the same mix"
    if limited_by == "database":
        return f"{said}; the CPUs were busy, so the database could not ask for more, whatever the storage carries"
    if limited_by == "unknown" and use is not None and use.others_share > OTHERS_SHARE_MAX:
        others = f"other programs had {format_share(use.others_share)} of the CPUs"
        return f"{said}; {others}, so this neither confirms nor refutes the line: run it on a quiet machine"
    if limited_by == "unknown":
        return f"{said}; the sessions asked for no more, so this neither confirms nor refutes the line: use more sessions"
    return (
        f"{said}: the prediction is {format_share(abs(error))} {'above' if error > 0 else 'below'} the proof"
    )
