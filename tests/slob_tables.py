"""SLOB's tables as tests look at them: what is there, what is dropped, how often a proof did what, and whether it is at it."""

from __future__ import annotations

from plimsoll.databases import Connection
from plimsoll.facts import Event, Progress, Proof
from plimsoll.proof.slob import tables


def dropped(connection: Connection) -> tables.Loaded | None:
    session = connection.session("test")
    try:
        return tables.drop(session, connection.dialect)
    finally:
        session.close()


def seen(connection: Connection) -> tables.Loaded | None:
    session = connection.session("test")
    try:
        return tables.status(session, connection.dialect)
    finally:
        session.close()


def count(proof: Proof, name: str) -> int:
    return next((one.operations for one in proof.operations if one.name == name), 0)


def is_measuring(event: Event) -> bool:
    """Whether it tells that all sessions have handed in a part of the window."""
    return isinstance(event, Progress) and event.message.startswith("measuring")
