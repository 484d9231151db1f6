"""The schema `plimsoll_tpch`: whose it is, what it holds, and who is at work in it.

A comment on the schema says that Plimsoll made it, at what scale, and whether loading came to its end. Nothing is changed or
dropped in a schema without that comment. A lock of the server, held by a session, keeps a load from running into a proof.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Literal

from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.base.jsontext import parse_json
from plimsoll.databases import Connection, Session, reads_answers
from plimsoll.proof import belongings
from plimsoll.proof.belongings import Belongings, made_by
from plimsoll.proof.owner import check_owner
from plimsoll.proof.statements import file_text
from plimsoll.proof.tpch import queries
from plimsoll.proof.tpch.request import TpchRequest

SCHEMA = "plimsoll_tpch"
_PREFIX = "made by plimsoll prove tpch: "

_MARKER = "select obj_description(oid, 'pg_namespace') from pg_namespace where nspname = 'plimsoll_tpch'"
_BYTES = """
select coalesce(sum(pg_total_relation_size(oid)), 0)::bigint
from pg_class where relnamespace = 'plimsoll_tpch'::regnamespace and relkind = 'r'
"""
_LOCK = "select pg_try_advisory_lock{kind}(hashtextextended('plimsoll_tpch', 0))"

STATES = ("loading", "loaded")
State = Literal["absent", "foreign", "loading", "loaded"]


@dataclass(frozen=True)
class Marker:
    """What the comment on the schema says."""

    state: Literal["loading", "loaded"]
    scale: str
    layout: str
    generator: str

    def text(self) -> str:
        """The comment."""
        return _PREFIX + json.dumps(asdict(self))


@dataclass(frozen=True)
class TpchStatus:
    """What is there. `marker` is None for a schema that is absent or not ours; `bytes` count tables with their indexes."""

    state: State
    marker: Marker | None = None
    bytes: int | None = None


def status(connection: Connection) -> TpchStatus:
    """What the database has of TPC-H data. Raises what opening a session raises, and UsageError `proof-unsupported`."""
    session = open_session(connection)
    try:
        return status_of(session)
    finally:
        session.close()


def open_session(connection: Connection) -> Session:
    """A session for the work around a proof. Raises UsageError `proof-unsupported` for a database without SQL of ours."""
    queries.query_text(connection.dialect, 1, "1")
    return connection.session("plimsoll tpch")


@reads_answers
def status_of(session: Session) -> TpchStatus:
    """The same in an open session."""
    rows = session.run(_MARKER)
    if not rows:
        return TpchStatus("absent")
    check_owner(session, "postgres", SCHEMA)
    marker = _read(rows[0][0])
    if marker is None:
        return TpchStatus("foreign")
    return TpchStatus(marker.state, marker, int(session.run(_BYTES)[0][0]))


def _read(comment: str | None) -> Marker | None:
    """The marker in a comment; None in any other comment."""
    if comment is None or not comment.startswith(_PREFIX):
        return None
    try:
        marker = Marker(**parse_json(comment.removeprefix(_PREFIX)))
    except (ValueError, TypeError):
        return None
    words = (marker.state, marker.scale, marker.layout, marker.generator)
    return marker if all(isinstance(word, str) for word in words) and marker.state in STATES else None


def create(session: Session, marker: Marker) -> None:
    """The schema with its marker and its empty tables, all or nothing."""
    tables = queries.statements("postgres", "tables")
    _at_once(session, [f"create schema {SCHEMA}", _comment(marker), *tables])


def mark(session: Session, marker: Marker) -> None:
    """Changes what the schema's comment says."""
    session.run(_comment(marker))


def _comment(marker: Marker) -> str:
    text = marker.text().replace("'", "''")
    return f"comment on schema {SCHEMA} is '{text}'"


def drop(connection: Connection) -> TpchStatus:
    """Drops the schema if it is ours; gives what was there.

    Raises WorldError `proof-foreign`, `proof-busy`.
    """
    session = open_session(connection)
    try:
        take_lock(session, shared=False)
        found = status_of(session)
        if found.state == "foreign":
            raise foreign()
        if found.state != "absent":
            drop_tables(session)
        return found
    finally:
        let_go(session)


def drop_tables(session: Session) -> None:
    """Drops our tables and the schema. Raises WorldError `proof-foreign` when anything there is not ours, or depends on it."""
    belongings.drop(session, "postgres", _belongings())


def check_pure(session: Session) -> None:
    """That nobody put anything on our tables. Raises WorldError `proof-foreign`."""
    belongings.check_pure(session, "postgres", _belongings())


def _belongings() -> Belongings:
    parts = [file_text("postgres", queries.WORKLOAD, name) for name in ("tables", "indexes")]
    return made_by(SCHEMA, parts)


def _at_once(session: Session, statements: list[str]) -> None:
    """Statements that are sent together are one transaction to the server."""
    session.run(";\n".join(statements))


@reads_answers
def take_lock(session: Session, shared: bool) -> None:
    """Until `let_go`; proofs share it, a load or a drop has it alone. Raises WorldError `proof-busy`."""
    ((taken,),) = session.run(_LOCK.format(kind="_shared" if shared else ""))
    if not taken:
        hint = "Wait until the other command has ended, then repeat this one."
        raise WorldError(
            "proof-busy", f"could not use schema {SCHEMA}: another plimsoll is at work in it", hint
        )


def let_go(session: Session) -> None:
    """Gives the lock back at once: the server notices the end of a session only a moment later. A broken one has lost it anyway."""
    with suppress(PlimsollError):
        session.run("select pg_advisory_unlock_all()")
    session.close()


def require_loaded(found: TpchStatus, request: TpchRequest) -> Marker:
    """The marker of data that are what was asked for.

    Raises WorldError `proof-foreign`, `tpch-not-loaded`, `tpch-half-loaded`, `tpch-differs`.
    """
    if found.state == "foreign":
        raise foreign()
    if found.marker is None:
        hint = f"Load it first: plimsoll prove tpch setup --database URL --scale {request.scale_text}."
        raise WorldError("tpch-not-loaded", f"could not find tpc-h data: there is no schema {SCHEMA}", hint)
    if found.state == "loading":
        hint = "Load it again: plimsoll prove tpch setup --database URL; or drop what is there, with drop in place of setup."
        raise WorldError(
            "tpch-half-loaded", f"could not use schema {SCHEMA}: its loading was cut short", hint
        )
    if not is_alike(found.marker, request):
        raise differs(found.marker, request)
    return found.marker


def is_alike(marker: Marker, request: TpchRequest) -> bool:
    """Whether the data have the scale and the layout that were asked for."""
    return (marker.scale, marker.layout) == (request.scale_text, request.layout)


def differs(marker: Marker, request: TpchRequest) -> PlimsollError:
    """The data are ours, and others than were asked for."""
    message = (
        f"could not use schema {SCHEMA}: it holds scale {marker.scale}, {marker.layout}, "
        f"not scale {request.scale_text}, {request.layout}"
    )
    hint = "Ask for what it holds, or drop it first: plimsoll prove tpch drop --database URL."
    return WorldError("tpch-differs", message, hint)


def foreign() -> PlimsollError:
    """The schema is somebody else's."""
    hint = f"Rename or drop schema {SCHEMA} yourself if nobody needs it, or use another database."
    message = f"could not use schema {SCHEMA}: plimsoll did not make it, so it is left alone"
    return WorldError("proof-foreign", message, hint)
