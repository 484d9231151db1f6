"""The schema of order entry: whose it is, what is in it, and how it is removed.

Plimsoll marks the schema that it made with a comment that holds state and settings. A schema of that name without the marker is a
stranger's: nothing in it is read, changed or dropped. One command at a time works in it, under a lock of the server's own which
ends with its session; so a schema that says it is being loaded while nobody holds the lock was left by a load that broke off.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal

from plimsoll.base.errors import PlimsollError, UsageError, WorldError
from plimsoll.base.jsontext import parse_json
from plimsoll.databases import Connection, Session, reads_answers
from plimsoll.proof import belongings
from plimsoll.proof.belongings import Belongings, made_by
from plimsoll.proof.order_entry import queries
from plimsoll.proof.order_entry.settings import Scale
from plimsoll.proof.owner import check_owner
from plimsoll.proof.statements import folder_of

SCHEMA = "plimsoll_orders"
LAYOUT = 1
"""Changes with tables and functions, so that data of an earlier version is not taken for ours of today."""
_MARK = "plimsoll order-entry "
_LOCK = (1886151021, 0)
State = Literal["absent", "foreign", "loading", "loaded", "outdated"]


@dataclass(frozen=True)
class Found:
    """What there is under the schema's name. The scale is known where the schema is ours and of today's layout."""

    state: State
    scale: Scale | None = None


def read_marker(comment: str | None) -> Found:
    """What a comment on a schema of our name says."""
    if comment is None or not comment.startswith(_MARK):
        return Found("foreign")
    try:
        said = parse_json(comment.removeprefix(_MARK))
        if said["layout"] != LAYOUT:
            return Found("outdated")
        return Found("loaded" if said["state"] == "loaded" else "loading", Scale.of(said))
    except (ValueError, TypeError, KeyError, UsageError):
        return Found("foreign")


def marker(state: Literal["loading", "loaded"], scale: Scale) -> str:
    """The comment that marks the schema as ours."""
    return _MARK + json.dumps({"state": state, "layout": LAYOUT, **scale.numbers()})


@reads_answers
def look(session: Session) -> Found:
    """What is there now."""
    rows = session.run(
        "select obj_description(oid, 'pg_namespace') from pg_namespace where nspname = %s", [SCHEMA]
    )
    if rows:
        check_owner(session, "postgres", SCHEMA)
    return read_marker(rows[0][0]) if rows else Found("absent")


@contextmanager
def owned(connection: Connection, doing: str) -> Iterator[Session]:
    """A session that alone works in the schema, until the end of the block.

    Raises WorldError `proof-busy`, and UsageError `proof-unsupported` for a database that its SQL was not written for.
    """
    folder_of(connection.dialect, queries.WORKLOAD)
    session = connection.session(f"plimsoll order-entry {doing}")
    try:
        if not _locked(session):
            hint = "Wait until that command has ended, or end it."
            raise WorldError("proof-busy", f"could not {doing} {SCHEMA}: another command works in it", hint)
        yield session
    finally:
        _let_go(session)


@reads_answers
def _locked(session: Session) -> bool:
    return bool(session.run("select pg_try_advisory_lock(%s, %s)", _LOCK)[0][0])


def _let_go(session: Session) -> None:
    """Gives the lock back at once: the server notices the end of a session only a moment later. A broken one has lost it anyway."""
    with suppress(PlimsollError):
        session.run("select pg_advisory_unlock_all()")
    session.close()


def mark(session: Session, state: Literal["loading", "loaded"], scale: Scale) -> None:
    """Writes the marker."""
    session.run(_statement_of_mark(session, marker(state, scale)))


def create(session: Session, scale: Scale) -> None:
    """Makes the schema, its marker, tables and functions in one transaction. What is there already is refused.

    Raises WorldError `proof-foreign`, `proof-exists`, `proof-load-interrupted`, `proof-outdated`.
    """
    found = look(session)
    if found.state == "loaded":
        hint = "Use it as it is, or drop it first."
        raise WorldError("proof-exists", f"could not load {SCHEMA}: it is there and loaded", hint)
    if found.state != "absent":
        raise refusal(found, "load")
    comment = _statement_of_mark(session, marker("loading", scale))
    parts = [
        "begin",
        f"create schema {SCHEMA}",
        comment,
        queries.text("tables"),
        *queries.texts("functions").values(),
    ]
    session.run(";\n".join([*(part.rstrip().rstrip(";") for part in parts), "commit"]))


def check_loaded(session: Session) -> Scale:
    """The scale of the data that is there.

    Raises WorldError `proof-missing`, `proof-foreign`, `proof-load-interrupted`, `proof-outdated`.
    """
    found = look(session)
    if found.state == "absent":
        hint = "Load it first: plimsoll prove order-entry setup --database URL."
        raise WorldError("proof-missing", f"could not find the data of order entry: no {SCHEMA}", hint)
    if found.state != "loaded" or found.scale is None:
        raise refusal(found, "use")
    belongings.check_pure(session, queries.DIALECT, _belongings())
    return found.scale


def drop(connection: Connection) -> bool:
    """Removes the schema with all data if it is ours; False when there is none. Raises WorldError `proof-foreign`, `proof-busy`."""
    with owned(connection, "drop") as session:
        found = look(session)
        if found.state == "foreign":
            raise refusal(found, "drop")
        if found.state != "absent":
            drop_tables(session)
        return found.state != "absent"


def drop_tables(session: Session) -> None:
    """Drops what is ours. Raises WorldError `proof-foreign` when there is anything else, or something depends on it."""
    belongings.drop(session, queries.DIALECT, _belongings())


def _belongings() -> Belongings:
    parts = [queries.text("tables"), queries.text("indexes"), *queries.texts("functions").values()]
    return made_by(SCHEMA, parts)


def refusal(found: Found, doing: str) -> WorldError:
    """Why what is there cannot be worked with."""
    if found.state == "foreign":
        hint = f"Rename or drop the schema {SCHEMA} yourself, or name another database."
        return WorldError("proof-foreign", f"cannot {doing} schema {SCHEMA}: plimsoll did not make it", hint)
    if found.state == "outdated":
        hint = "Drop it, then load it again: plimsoll prove order-entry drop --database URL."
        return WorldError(
            "proof-outdated", f"cannot {doing} {SCHEMA}: another version of plimsoll made it", hint
        )
    loaded = f"{found.scale.warehouses} warehouses" if found.scale else "its data"
    hint = "Drop it, then load it again: plimsoll prove order-entry drop --database URL."
    return WorldError(
        "proof-load-interrupted", f"cannot {doing} {SCHEMA}: the load of {loaded} broke off", hint
    )


@reads_answers
def _statement_of_mark(session: Session, comment: str) -> str:
    """COMMENT takes no parameters, so the server itself puts the text in quotes."""
    return session.run(
        "select format('comment on schema %%I is %%L', %s::text, %s::text)", [SCHEMA, comment]
    )[0][0]
