"""A real MariaDB for tests, from Debian's package mariadb-server-core: the programs alone, without a service of their own.

It is started by an unprivileged user where the tests run as root, with its data in a scratch folder, and listens on a socket only.
Its system tables are made by the server's own bootstrap mode, as mariadb-install-db does it, which needs more packages.
"""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from databases_fixture import PARENT, context
from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.databases.mariadb import MariadbConnection
from plimsoll.ports import processes

SHARE = Path("/usr/share/mysql")
SYSTEM_TABLES = ("mysql_system_tables.sql", "mysql_performance_tables.sql", "mysql_system_tables_data.sql")
SETTINGS: Mapping[str, str] = {
    "innodb-buffer-pool-size": "32M",
    "innodb-log-file-size": "64M",
    "innodb-flush-method": "O_DIRECT",
    "innodb-monitor-enable": "module_trx",
    "performance-schema": "ON",
    "skip-name-resolve": "ON",
}
START_S_MAX = 30.0


@dataclass(frozen=True)
class MariadbServer:
    """A running server. `url` is that of root, whom the socket lets in without a password; its database is `test`."""

    url: str
    folder: Path
    socket: Path
    process: processes.Process[str]

    def connect(self, **more: Any) -> Any:
        """A session of root that may change things."""
        import pymysql

        return pymysql.connect(
            unix_socket=str(self.socket), user="root", database="test", autocommit=True, **more
        )

    def url_of(self, user: str, password: str | None = None, database: str = "test") -> str:
        """The server for another user."""
        secret = "" if password is None else f":{quote(password, safe='')}"
        return f"mysql://{user}{secret}@/{database}?socket={quote(str(self.socket), safe='')}"


@pytest.fixture(scope="session")
def mariadb_binary() -> Path:
    """The server's program, where the driver is too."""
    pytest.importorskip("pymysql", reason="no pymysql: pip install 'plimsoll-storage[mariadb]'")
    found = shutil.which("mariadbd", path="/usr/sbin:/usr/local/sbin:/usr/bin")
    if found is None or not (SHARE / SYSTEM_TABLES[0]).is_file():
        pytest.skip("no mariadbd: install Debian's package mariadb-server-core")
    return Path(found)


@pytest.fixture(scope="session")
def mariadb_server(tmp_path_factory: pytest.TempPathFactory, mariadb_binary: Path) -> Iterator[MariadbServer]:
    """One server for all tests."""
    with (
        context(tmp_path_factory.mktemp("journal")) as (made, _),
        running_mariadb(made, mariadb_binary) as server,
    ):
        yield server


@contextmanager
def running_mariadb(
    ctx: Context, binary: Path, settings: Mapping[str, str] = SETTINGS
) -> Iterator[MariadbServer]:
    """A fresh server, ended by its own id at the end of the block."""
    user = processes.find_user("nobody") if processes.is_root() else None
    home = new_home(ctx, user)
    try:
        bootstrap(binary, home / "data", user)
        yield start(ctx, binary, home, user, settings)
    finally:
        ctx.scratch.release(home)


def new_home(ctx: Context, user: processes.SystemUser | None) -> Path:
    """A scratch folder with one for the server's data and one for its socket and the like, both the server's own."""
    home = ctx.scratch.new_folder(PARENT, "mariadb", 0o700 if user is None else 0o711)
    with ctx.scratch.opened(home) as opened:
        for name in ("data", "run"):
            with opened.new_child(name, 0o700) as made:
                if user is not None:
                    made.change_owner(user.user_id, user.group_id)
    return home


def bootstrap(binary: Path, data: Path, user: processes.SystemUser | None) -> None:
    """Makes the system tables, and a user root whom nobody asks for a password."""
    texts = [(SHARE / name).read_text(encoding="utf-8") for name in SYSTEM_TABLES]
    begin = "create database mysql;\ncreate database test;\nuse mysql;\nset @auth_root_socket=NULL;\n"
    done = subprocess.run(
        [str(binary), "--no-defaults", "--bootstrap", f"--datadir={data}", f"--tmpdir={data}", "--innodb-log-file-size=16M"],
        input=begin + "\n".join(texts), text=True, capture_output=True, timeout=60, cwd=data,
        user=user.user_id if user else None, group=user.group_id if user else None,
        extra_groups=[] if user else None,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


def start(
    ctx: Context, binary: Path, home: Path, user: processes.SystemUser | None, settings: Mapping[str, str]
) -> MariadbServer:
    """Starts the server in `home` and waits until it answers."""
    run, log = home / "run", home / "log"
    socket = run / "socket"
    command = [str(binary), "--no-defaults", f"--datadir={home / 'data'}", f"--socket={socket}",
               f"--pid-file={run / 'pid'}", f"--tmpdir={run}", "--skip-networking"]  # fmt: skip
    command += [f"--{name}={value}" for name, value in settings.items()]
    with log.open("a", encoding="utf-8") as output:
        child = ctx.scratch.start(
            command,
            user=user,
            folder=home / "data",
            stdout=output,
            stderr=processes.WITH_STDOUT,
            end_signals=(signal.SIGTERM, signal.SIGKILL),
        )
    server = MariadbServer(f"mysql://root@/test?socket={quote(str(socket), safe='')}", home, socket, child)
    deadline_s = time.monotonic() + START_S_MAX
    while True:
        try:
            MariadbConnection(server.url).close()
            return server
        except WorldError:
            assert child.poll() is None, log.read_text(encoding="utf-8")[-2000:]
            assert time.monotonic() < deadline_s, log.read_text(encoding="utf-8")[-2000:]
        time.sleep(0.05)
