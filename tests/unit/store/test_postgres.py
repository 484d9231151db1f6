"""What the server of a team's store says, as we pass it on."""

from __future__ import annotations

import psycopg
import pytest

from plimsoll.base.errors import UsageError, WorldError
from plimsoll.databases import _postgres_errors as errors
from plimsoll.store.postgres import PostgresDatabase, schema_of


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


@pytest.mark.parametrize(
    ("options", "schema"),
    [
        ("", "plimsoll"),
        ("-cstatement_timeout%3D9", "plimsoll"),
        ("-csearch_path%3Dteam", "team"),
        ("-c%20search_path%3Dteam,public%20-cwork_mem%3D1MB", "team"),
        ("-csearch_path%3D%22team-a%22", "team-a"),
        ("-csearch_path%3D%22gr%C3%B6%C3%9Fe%22,public", "größe"),
    ],
)
def test_a_store_lies_in_the_schema_that_is_asked_for(options: str, schema: str) -> None:
    url = f"postgresql://me@db/runs?options={options}"
    PostgresDatabase(url)
    assert schema_of(errors.parse_url(url)) == schema


@pytest.mark.parametrize(
    "asked", ["team-a", "team$1", "größe", "%22$user%22", "$user", "", "%22team", "%22te%22%22am%22", "7"]
)
def test_a_schema_that_cannot_be_told_is_refused(asked: str) -> None:
    with pytest.raises(UsageError, match="in which schema") as refused:
        PostgresDatabase(f"postgresql://me:hunter2@db/runs?options=-csearch_path%3D{asked}")
    assert refused.value.id == "store-location"
    assert "hunter2" not in refused.value.message
