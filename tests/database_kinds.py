"""One face for the servers of each kind, so that one suite can ask the same of all of them.

A harness knows how to reach its server, how to make it work, and how its own words for a thing are. What a kind cannot do stands in
`GAPS` with its reason; such a test is expected to fail, and it is an error if it does not.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import psycopg
import pytest

from databases_fixture import PARENT, context
from mariadb_server import SETTINGS, MariadbServer, bootstrap, new_home, start
from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.databases import embedded, open_database
from plimsoll.ports import processes

SECRET = "s3cr:t/pw"
"""The password of the users `locked`, who sees all, and `limited`, who sees little."""

GAPS: dict[tuple[str, str], str] = {
    ("mariadb", "a_user_whom_nobody_knows_is_told"): "the server answers alike for a missing password and a missing user",
    ("mariadb", "tables_are_told_apart"): "InnoDB counts blocks for the whole server, not for each table",
    ("mariadb", "backends_are_told_apart"): "InnoDB counts reads and writes for the whole server, not by who did them",
    ("mariadb", "syncs_of_the_log_are_counted"): "MariaDB from 10.8 on has no counter of them",
    ("mariadb", "writes_of_the_log_are_timed"): "InnoDB's log is not seen by the performance schema",
    ("mariadb", "sessions_have_processes"): "sessions are threads of the server's one process",
    ("mariadb", "a_dropped_database_is_a_gap"): "counters are the server's, so that nothing is lost with a database",
}  # fmt: skip


class Harness(Protocol):
    """A server of one kind."""

    kind: str
    url: str
    password_variable: str
    log_folder: Path
    admin_url: str

    def url_of(self, user: str, password: str | None) -> str:
        """The server for one of the users, with or without a password."""
        ...

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        """Something that an administrator does, in a session of its own that is over afterwards."""
        ...

    def reset(self) -> None:
        """Sets counters to zero."""
        ...


class PostgresHarness:
    """PostgreSQL 18, the embedded one."""

    kind = "postgres"
    password_variable = "PGPASSWORD"

    def __init__(self, server: embedded.Server) -> None:
        self.url = self.admin_url = server.url
        self.log_folder = server.cluster.home
        rules = server.cluster.data_folder / "pg_hba.conf"
        rules.write_text("local all nobody_known trust\n" + rules.read_text())
        for user in ("locked", "limited", "outsider"):
            self.execute(f"create role {user} login password '{SECRET}'")
        self.execute("grant pg_monitor to locked")
        self.execute("revoke connect on database template1 from public")
        self.execute("select pg_reload_conf()")

    def url_of(self, user: str, password: str | None) -> str:
        secret = "" if password is None else f":{quote(password, safe='')}"
        return re.sub("//[^@]*@", lambda _: f"//{user}{secret}@", self.url)

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.url, autocommit=True) as session:
            cursor = session.execute(sql.encode())
            rows = cursor.fetchall() if cursor.description else []
            backend = session.info.backend_pid
        with psycopg.connect(self.url, autocommit=True) as session:
            query = "select 1 from pg_stat_activity where pid = %s"
            while session.execute(query, [backend]).fetchone():
                time.sleep(0.01)
        return rows

    def reset(self) -> None:
        self.execute("select pg_stat_reset_shared('io')")


class MariadbHarness:
    """MariaDB, Debian's."""

    kind = "mariadb"
    password_variable = "MYSQL_PWD"

    def __init__(self, server: MariadbServer) -> None:
        self._server = server
        self.url = self.admin_url = server.url
        self.log_folder = server.folder
        for user in ("locked", "limited"):
            self.execute(f"create or replace user {user}@localhost identified by '{SECRET}'")
            self.execute(f"grant select on test.* to {user}@localhost")
        self.execute("grant process on *.* to locked@localhost")
        self.execute("grant select on performance_schema.* to locked@localhost")

    def url_of(self, user: str, password: str | None) -> str:
        return self._server.url_of(user, password)

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        with self._server.connect() as session, session.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    def reset(self) -> None:
        time.sleep(
            1.1
        )  # the server tells when this was to the second, and it must not be the second of its start
        self.execute("flush status")


KINDS: dict[str, tuple[str, type[PostgresHarness] | type[MariadbHarness]]] = {
    "postgres": ("server_18", PostgresHarness),
    "mariadb": ("mariadb_server", MariadbHarness),
}


@pytest.fixture(scope="session")
def _harnesses() -> dict[str, Harness]:
    return {}


@pytest.fixture(params=sorted(KINDS))
def any_kind(request: pytest.FixtureRequest, _harnesses: dict[str, Harness]) -> Harness:
    """The server of each kind in turn; what it cannot do is expected to fail."""
    kind: str = request.param
    reason = GAPS.get((kind, request.node.originalname.removeprefix("test_")))
    if reason is not None:
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True, raises=AssertionError))
    fixture, harness = KINDS[kind]
    server = request.getfixturevalue(fixture)
    if kind not in _harnesses:
        _harnesses[kind] = harness(server)
    return _harnesses[kind]


@pytest.fixture(params=sorted(KINDS))
def restartable(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Restartable]:
    """A server of each kind of this test's own, which may be ended and started again."""
    make = _postgres_of_its_own if request.param == "postgres" else _mariadb_of_its_own
    binary = request.getfixturevalue("wheel" if request.param == "postgres" else "mariadb_binary")
    with make(tmp_path / "journal", binary) as made:
        yield made


class Restartable(Protocol):
    """See `restartable`."""

    url: str

    def stop(self) -> None:
        """Ends the server in its own way and waits until it is gone."""
        ...

    def start(self) -> None:
        """Starts it again."""
        ...


@contextmanager
def _postgres_of_its_own(journal: Path, wheel: Path) -> Iterator[Restartable]:
    with context(journal) as (ctx, _), embedded.running(ctx, PARENT, binaries=wheel) as server:

        class Made:
            url = server.url
            process = server.process

            def stop(self) -> None:
                _end(self.process, embedded.END_SIGNALS[0])

            def start(self) -> None:
                self.process = embedded.start(ctx, server.cluster, dict(embedded.SETTINGS)).process

        yield Made()


@contextmanager
def _mariadb_of_its_own(journal: Path, binary: Path) -> Iterator[Restartable]:
    user = processes.find_user("nobody") if processes.is_root() else None
    with context(journal) as (ctx, _):
        home = new_home(ctx, user)
        bootstrap(binary, home / "data", user)
        first = start(ctx, binary, home, user, SETTINGS)

        class Made:
            url = first.url
            process = first.process

            def stop(self) -> None:
                _end(self.process, 15)

            def start(self) -> None:
                self.process = start(ctx, binary, home, user, SETTINGS).process

        yield Made()


def _end(process: processes.Process[str], signal_number: int) -> None:
    known = processes.identity(process.pid)
    assert known is not None
    processes.send(known, signal_number)
    process.wait(timeout=30)


def refusal(ctx: Context, location: str) -> PlimsollError:
    with pytest.raises(PlimsollError) as caught, open_database(ctx, location):
        pass
    return caught.value


def assert_well_told(error: PlimsollError, secret: str | None) -> None:
    """One lower-case line, a hint in sentences, no password anywhere."""
    assert "\n" not in error.message
    assert error.message[0].islower()
    assert not error.message.endswith(".")
    assert error.hint is not None
    assert error.hint.endswith(".")
    if secret is not None:
        assert secret not in f"{error.message} {error.hint}"
        assert quote(secret, safe="") not in f"{error.message} {error.hint}"
