"""What answers at a PostgreSQL URL may be anything: each of its ways ends with an error of the world, soon and in little memory."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from fake_postgres import SECRET, fake_postgres
from plimsoll.base import limits
from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.databases import _postgres_errors as errors
from plimsoll.databases import open_database
from plimsoll.databases._postgres_session import PostgresSession
from plimsoll.store import open_store

LIMIT_S = 0.5


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a test can wait for."""
    for name in ("READING_S_MAX", "STORE_SERVER_S_MAX"):
        monkeypatch.setattr(limits, name, LIMIT_S)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    ("mode", "reading", "store"),
    [
        ("silent", "database-slow", "store-slow"),
        ("drip", "database-slow", "store-slow"),
        ("refuse", "database-lost", "store-lost"),
        ("end", "database-lost", "store-lost"),
    ],
)
def test_each_way_has_its_error(ctx: Context, mode: str, reading: str, store: str) -> None:
    begun_s = time.monotonic()
    with fake_postgres(mode) as url:
        with pytest.raises(WorldError) as of_reading, open_database(ctx, url):
            pass
        with pytest.raises(WorldError) as of_store:
            open_store(url).summaries()
    assert (of_reading.value.id, of_store.value.id) == (reading, store)
    assert time.monotonic() - begun_s < 2 * LIMIT_S + 2
    assert SECRET not in of_reading.value.message + of_store.value.message
    assert "fATAL" not in of_reading.value.message + of_store.value.message


@pytest.mark.parametrize("mode", ["notices", "rows"])
def test_what_does_not_end_is_not_kept(ctx: Context, mode: str) -> None:
    with fake_postgres(mode) as url:
        with pytest.raises(WorldError, match="more than 64 MB") as of_reading, open_database(ctx, url):
            pass
        with pytest.raises(WorldError, match="more than 256 MB") as of_store:
            open_store(url).summaries()
        session = PostgresSession(errors.connect(errors.parse_url(url), None), "there")
        with pytest.raises(WorldError, match="more than 256 MB") as of_proof:
            session.run("select 1")
        session.close()
    ids = [failed.value.id for failed in (of_reading, of_store, of_proof)]
    assert ids == ["database-odd", "store-odd", "database-odd"]


_STATEMENT = """
import sys
from plimsoll.cli.ending import watched
from plimsoll.context import Cancel
from plimsoll.databases import _postgres_errors as errors
from plimsoll.databases._postgres_session import PostgresSession

driver = errors.connect(errors.parse_url(sys.argv[1]), None)
driver.answer_bytes_max = 1 << 60
session = PostgresSession(driver, "there")
print("connected", flush=True)
try:
    with watched(Cancel(), lambda: None):
        session.run("select 1")
except KeyboardInterrupt:
    sys.exit(130)
"""
"""A statement of a proof has no limit of time; here the limit of bytes is none, either."""


@pytest.mark.parametrize("mode", ["silent", "notices"])
def test_term_ends_a_statement_whatever_the_server_does(mode: str) -> None:
    with fake_postgres(mode) as url:
        running = subprocess.Popen(
            [sys.executable, "-c", _STATEMENT, url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert running.stdout is not None
        assert running.stdout.readline() == "connected\n"
        time.sleep(0.5)
        begun_s = time.monotonic()
        running.send_signal(signal.SIGTERM)
        _, said = running.communicate(timeout=10)
    assert time.monotonic() - begun_s < 2.2
    assert running.returncode == 130
    assert "Traceback" not in said
    assert "ignored" not in said
