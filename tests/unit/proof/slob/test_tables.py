"""Loads of SLOB's tables that go wrong: nobody is left at work, and nothing else is taken for a missing right."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.proof.slob import tables
from plimsoll.proof.slob.parameters import parameters

FULL = WorldError("database-full", "no space left on the device", None)
RIGHTS = WorldError("database-rights", "permission denied", None)


class FakeSession:
    """Answers like an empty database; `fails` is raised by each statement that holds its words."""

    def __init__(self, fails: dict[str, WorldError], waits_for: str | None) -> None:
        self.fails, self.waits_for = fails, waits_for
        self.cancelled = threading.Event()
        self.closed = False

    def run(self, text: str) -> list[tuple[Any, ...]]:
        for words, error in self.fails.items():
            if words in text:
                raise error
        if self.waits_for is not None and self.waits_for in text:
            assert self.cancelled.wait(60), "nobody cancelled it"
            raise WorldError("database-cancelled", "canceled on request", None)
        return [(7, 7)] if "pg_relation_size" in text else []

    def cancel(self) -> None:
        self.cancelled.set()

    def close(self) -> None:
        self.closed = True


class FakeConnection:
    """PostgreSQL's dialect, and sessions that are remembered."""

    dialect = "postgres"

    def __init__(self, fails: dict[str, WorldError], waits_for: str | None = None) -> None:
        self.fails, self.waits_for = fails, waits_for
        self.sessions: list[FakeSession] = []

    def session(self, name: str) -> FakeSession:
        self.sessions.append(FakeSession(self.fails, self.waits_for))
        return self.sessions[-1]


def set_up(ctx: Context, connection: FakeConnection) -> tables.Loaded:
    return tables.setup(ctx, connection, parameters(schemas=2, scale=64))  # type: ignore[arg-type]


def test_a_load_that_fails_ends_those_beside_it(ctx: Context) -> None:
    connection = FakeConnection({"into plimsoll_slob.cf1_2": FULL}, waits_for="into plimsoll_slob.cf1_1")
    with pytest.raises(WorldError) as failed:
        set_up(ctx, connection)
    assert failed.value is FULL
    assert all(session.closed for session in connection.sessions)


def test_a_load_leaves_the_checkpoint_to_each_run(ctx: Context) -> None:
    assert set_up(ctx, FakeConnection({"checkpoint": FULL})).state == tables.LOADED


def test_a_marker_that_cannot_be_set_is_no_finished_load(ctx: Context) -> None:
    with pytest.raises(WorldError) as failed:
        set_up(ctx, FakeConnection({'"state": "loaded"': RIGHTS}))
    assert failed.value is RIGHTS
