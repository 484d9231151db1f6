"""What the server of a team's store says, as we pass it on."""

from __future__ import annotations

import psycopg
import pytest

from plimsoll.base.errors import WorldError
from plimsoll.store.postgres import PostgresDatabase


def test_what_the_server_says_has_no_password_in_it() -> None:
    database = PostgresDatabase("postgresql://me:hunter2 or 3@db/runs?sslpassword=hunter2")
    with pytest.raises(WorldError) as refused, database._translated(psycopg):
        raise psycopg.OperationalError("No answer from me/hunter2@db\nDETAIL: hunter2")
    assert refused.value.id == "store-lost"
    assert refused.value.message == (
        "could not use the store postgresql://me:***@db/runs?sslpassword=***: no answer from me/***@db"
    )


def test_what_the_server_says_has_no_severity_in_front() -> None:
    database = PostgresDatabase("postgresql://me@db/runs")
    with (
        pytest.raises(WorldError, match="runs: terminating connection") as lost,
        database._translated(psycopg),
    ):
        raise psycopg.OperationalError("FATAL:  terminating connection\nserver closed the connection")
    assert lost.value.id == "store-lost"
