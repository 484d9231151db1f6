"""Passwords against servers that answer: an odd one logs in, a wrong one is refused, and neither is found anywhere afterwards.

Also what other users of the machine see meanwhile: the arguments of our own processes and of those that we start.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import psycopg.sql
import pytest

from command import command
from made_passwords import FORMS, Password, fits_command, leaked, passwords, pieces_of
from mariadb_server import MariadbServer
from overheard import at_home_in, everything_in, said
from plimsoll.base.errors import PlimsollError
from plimsoll.base.redact import HIDDEN
from plimsoll.context import Context
from plimsoll.databases import embedded, open_database
from plimsoll.proof import pgbench

LOGINS = 60
FLOWS = 5
"""A flow watches a server for a second, so there are few of them; the other tests have many passwords each."""
PROCESSES = 32
PARTS = 2
"""As many processes at a time as a small machine bears, and so often that all forms have their turn."""
LOADS = 12


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in."""
    at_home_in(tmp_path, monkeypatch)
    return tmp_path


class Roles:
    """Roles of a real PostgreSQL whose passwords are asked for, by SCRAM and by MD5."""

    def __init__(self, server: embedded.Server) -> None:
        self._server = server
        rules = server.cluster.data_folder / "pg_hba.conf"
        lines = "local all sly scram-sha-256\nlocal all sly_md5 md5\n"
        rules.write_text(lines + rules.read_text(encoding="utf-8"), encoding="utf-8")
        for role in ("sly", "sly_md5"):
            self._execute(f"create role {role} login superuser")
        self._execute("select pg_reload_conf()")

    def login(self, role: str, password: Password, typed: str | None = None) -> str:
        """The URL of a role whose password this is from now on; `typed` stands in the URL for it."""
        kind = "md5" if role.endswith("md5") else "scram-sha-256"
        literal = psycopg.sql.Literal(password.text).as_string()
        self._execute(
            f"set password_encryption = '{kind}'; set client_min_messages = error; alter role {role} password {literal}"
        )
        return self.url(role, password.encoded if typed is None else typed)

    def url(self, role: str, typed: str) -> str:
        return re.sub("//[^@]*@", lambda _: f"//{role}:{typed}@", self._server.url)

    def _execute(self, sql: str) -> None:
        with psycopg.connect(self._server.url, autocommit=True) as session:
            session.execute(sql.encode())


@pytest.fixture(scope="module")
def roles(server_18: embedded.Server) -> Roles:
    return Roles(server_18)


@pytest.mark.parametrize("role", ["sly", "sly_md5"])
def test_any_password_logs_in(role: str, roles: Roles, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for password in passwords(LOGINS // 2, seed=11):
        url = roles.login(role, password)
        text = said(["prove", "slob", "status", "--json", "--database", url], monkeypatch, (0, 1))
        assert leaked(text, password.pieces) == set(), (url, text)
    assert leaked(everything_in(here), pieces_of(passwords(LOGINS // 2, seed=11))) == set()


@pytest.mark.parametrize("role", ["sly", "sly_md5"])
def test_a_wrong_password_is_not_told(
    role: str, roles: Roles, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    roles.login(role, Password("right", ()))
    for number, password in enumerate(passwords(LOGINS, seed=12)):
        words = ["demand", "--database", roles.url(role, password.encoded), *["--json"][: number % 2]]
        text = said(words, monkeypatch, (4,))
        assert "password authentication failed" in text
        assert leaked(text, password.pieces) == set(), (words, text)
    assert leaked(everything_in(here), pieces_of(passwords(LOGINS, seed=12))) == set()


def test_what_libpq_takes_as_it_is_logs_in(roles: Roles, ctx: Context) -> None:
    """A question mark or a hash does not end a password there, nor does a percent-encoded sign or a query's own @."""
    for text, typed in (
        ("p?w#x/9", "p?w#x%2F9"),
        ("a:b?c=d", "a:b?c=d"),
        ("a&b=c", "a&b=c"),
        ("pl+us", "pl+us"),
    ):
        with open_database(ctx, roles.login("sly", Password(text, ()), typed)) as connection:
            assert connection.database.location.startswith("sly@")


@pytest.mark.parametrize("typed", ["pa@ss", "pa/ss", "12/34@x", "ab@cd:5432", "x?user=y@z"])
def test_a_password_that_could_end_in_two_places_is_refused(roles: Roles, ctx: Context, typed: str) -> None:
    """The driver would ask the network for the rest of it."""
    with pytest.raises(PlimsollError) as refused, open_database(ctx, roles.url("sly", typed)):
        pass
    assert refused.value.id == "database-url"
    assert "sly:***@/postgres" in refused.value.message
    assert "where its password ends" in refused.value.message
    assert "write @ as %40" in (refused.value.hint or "")


def test_nothing_that_is_kept_has_a_password(
    roles: Roles, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Store, page, exports, events and the file for --demand; the recorded command can still be read."""
    some = list(passwords(FLOWS, seed=13))
    for password in some:
        url = roles.login("sly", password)
        words = ["demand", "--runtime", "1", "--events", "events", "--out", "d.json", "--database", url]
        text = said(words, monkeypatch, (0, 5))
        text += said(["store", "show", "latest", "--json"], monkeypatch, (0,))
        assert (
            f"plimsoll demand --runtime 1 --events events --out d.json --database 'postgresql://sly:{HIDDEN}@"
            in text
        )
        text += said(["store", "list"], monkeypatch, (0,))
        for kind in ("json", "csv", "parquet"):
            said(
                ["store", "export", "latest", "--format", kind, "--out", f"export-{kind}"], monkeypatch, (0,)
            )
        said(["report", "latest", "-o", f"{len(list(here.iterdir()))}.html"], monkeypatch, (0,))
        assert leaked(text, password.pieces) == set(), text
    kept = everything_in(here)
    assert "sly@" in kept
    assert leaked(kept, pieces_of(some)) == set()


def all_rows(url: str) -> str:
    """Everything that a store on a server keeps, as text."""
    with psycopg.connect(url) as session:
        tables = session.execute("select tablename from pg_tables where schemaname = 'plimsoll'").fetchall()
        asked = [
            psycopg.sql.SQL("select t::text from plimsoll.{} t").format(psycopg.sql.Identifier(name))
            for (name,) in tables
        ]
        return str([session.execute(query).fetchall() for query in asked])


def test_a_team_store_keeps_no_password(roles: Roles, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for password in passwords(FLOWS, seed=14):
        url = roles.login("sly", password)
        words = ["io", "sim:", "--runtime", "1ms", "--warm-up", "0", "--json", "--store", url]
        text = said(words, monkeypatch, (0,))
        text += said(["store", "show", "latest", "--json", "--store", url], monkeypatch, (0,))
        text += said(["store", "show", "none", "--store", url], monkeypatch, (2,))
        rows = all_rows(url)
        assert "--store" in rows
        assert leaked(text + rows, password.pieces) == set(), text


def test_mariadb_takes_any_password(
    mariadb_server: MariadbServer, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text that is not Latin-1 among them, which its driver would not send."""
    for number, password in enumerate(passwords(LOGINS // 2, seed=15)):
        with mariadb_server.connect(charset="utf8mb4") as session, session.cursor() as cursor:
            cursor.execute("create or replace user sly@localhost identified by %s", [password.text])
            cursor.execute("grant all on *.* to sly@localhost")
        url = mariadb_server.url_of("sly", password.text)
        text = said(["prove", "slob", "status", "--json", "--database", url], monkeypatch, (0, 1))
        assert leaked(text, password.pieces) == set(), (url, text)
        wrong = mariadb_server.url_of("sly", "x" + password.text)
        text = said(["demand", "--database", wrong, *["--json"][: number % 2]], monkeypatch, (4,))
        assert "access denied" in text
        assert leaked(text, password.pieces) == set(), (wrong, text)


@pytest.fixture
def deaf() -> Iterator[int]:
    """A port where somebody listens and never says a word, so that whoever asks waits."""
    with closing(socket.create_server(("127.0.0.1", 0), backlog=PROCESSES)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def started(here: Path) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts commands that last, and ends them after the test."""
    running: list[subprocess.Popen[bytes]] = []

    def start(*words: str) -> subprocess.Popen[bytes]:
        running.append(
            subprocess.Popen(command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=here)
        )
        return running[-1]

    yield start
    for process in running:
        process.kill()
        process.wait()


def arguments(pid: int) -> str:
    """What every user of the machine can read of a process."""
    return Path(f"/proc/{pid}/cmdline").read_bytes().decode("utf-8", errors="replace")


def rewritten(process: subprocess.Popen[bytes]) -> str:
    """Its arguments once the password has gone from them."""
    deadline_s = time.monotonic() + 60
    while HIDDEN not in (shown := arguments(process.pid)):
        assert process.poll() is None, f"it ended with status {process.returncode}"
        assert time.monotonic() < deadline_s, shown
        time.sleep(0.02)
    return shown


@pytest.mark.parametrize("part", range(PARTS))
def test_the_process_list_shows_no_password(
    part: int, deaf: int, here: Path, started: Callable[..., subprocess.Popen[bytes]]
) -> None:
    """In every form: as a database where one waits, else as a store, which is opened when the measurement is over."""
    (here / "target").write_bytes(os.urandom(1 << 20))
    running = []
    forms = [form for form in FORMS if form.name != "option-joined" and fits_command(form, False, True)]
    for number, password in enumerate(passwords(PROCESSES, seed=16 + part), part * PROCESSES):
        fitting = [form for form in forms if form.fits(password.text)]
        form = fitting[number % len(fitting)]
        word = form.make(password).replace("127.0.0.1:1", f"127.0.0.1:{deaf}")
        if form.name in ("postgresql-encoded", "mysql-encoded", "query-encoded"):
            words = ["demand", "--database", word]
        else:
            words = ["io", str(here / "target"), "--rate", "1", "--runtime", "10m", "--store", word]
        running.append((started(*words), password, words))
    for process, password, words in running:
        shown = rewritten(process)
        assert leaked(shown, password.pieces) == set(), words
        assert shown.split("\0")[2:4] == words[:2]


def test_a_load_of_pgbench_shows_no_password(ctx: Context, roles: Roles, server_18: embedded.Server) -> None:
    """Neither among its arguments nor in its words; and it logs in, whatever signs there are."""
    for password in passwords(LOADS, seed=17):
        passphrase = next(passwords(1, seed=len(password.text)))
        url = f"{roles.login('sly', password)}&sslpassword={passphrase.encoded}"
        load = pgbench.start(
            ctx, url, seconds=60, clients=1, script="select pg_sleep(0.2);", programs=server_18.programs,
            transactions_per_client=2,
        )  # fmt: skip
        shown = arguments(load._process.pid)
        surroundings = Path(f"/proc/{load._process.pid}/environ").read_bytes().decode()
        result = load.wait()
        pieces = password.pieces | passphrase.pieces
        assert "pgbench" in shown
        assert leaked(shown, pieces) == set(), url
        assert leaked(surroundings, passphrase.pieces) == set()
        assert (result.transactions, result.failed) == (2, 0)


def test_pgbenchs_own_words_show_no_password(ctx: Context, roles: Roles, server_18: embedded.Server) -> None:
    roles.login("sly", Password("right", ()))
    for password in passwords(LOADS, seed=18):
        with pytest.raises(PlimsollError) as refused:
            pgbench.initialise(ctx, roles.url("sly", password.encoded), 1, programs=server_18.programs)
        assert refused.value.id == "pgbench-failed"
        assert leaked(f"{refused.value.message}\n{refused.value.hint}", password.pieces) == set()
