"""SLOB's tables as tests look at them: what is there, what is dropped, and how often a proof did what."""

from __future__ import annotations

from plimsoll.databases import Connection
from plimsoll.facts import Proof
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
