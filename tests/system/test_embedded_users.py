"""The embedded database as an ordinary user, and as root whose own folders are closed to everybody else."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

import plimsoll
from databases_fixture import PARENT, context
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.ports import files, processes

SOURCE = str(Path(plimsoll.__file__).parent.parent)
PROGRAM = """
import os, sys
from pathlib import Path
from databases_fixture import context
from plimsoll.databases import embedded, open_database
from plimsoll.demand.collect import collect
folder = Path(sys.argv[1])
with context(folder / "journal") as (ctx, _):
    with embedded.running(ctx, folder) as server, embedded.connected(ctx, server) as connection:
        demand = collect(ctx, connection, 0.5)
        owner = os.stat(server.cluster.data_folder).st_uid
    print(os.geteuid(), owner, demand.database.version_number // 10000, len(list(folder.glob("plimsoll-*"))))
"""


@pytest.fixture
def open_folder(ctx: Context) -> Path:
    """A folder that everybody may enter and write to, and in which nobody touches what is another's."""
    return ctx.scratch.new_folder(PARENT, "users", mode=0o1777)


def runnable_interpreter(user: processes.SystemUser | None, environment: dict[str, str]) -> str | None:
    """This interpreter, or where its folder is closed the system's of the same version."""
    for candidate in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        try:
            command = [candidate, "-c", "import psycopg, plimsoll.demand.collect"]
            if processes.run(command, user=user, environment=environment).returncode == 0:
                return candidate
        except OSError:
            continue
    return None


def test_an_ordinary_user_runs_it_as_oneself(open_folder: Path, wheel: Path) -> None:
    user = processes.find_user("nobody") if processes.is_root() else None
    tests = str(Path(__file__).parent.parent)
    environment = {"PATH": os.environ["PATH"], "HOME": str(open_folder)}
    environment["PYTHONPATH"] = os.pathsep.join(
        [tests, *(path for path in sys.path if "site-packages" in path), SOURCE]
    )
    interpreter = runnable_interpreter(user, environment)
    if interpreter is None:
        pytest.skip("an ordinary user may run no interpreter that has this environment")
    command = [interpreter, "-c", PROGRAM, str(open_folder)]
    done = processes.run(command, user=user, folder=open_folder, environment=environment)
    assert done.returncode == 0, done.stderr
    me = str(user.user_id if user else os.geteuid())
    assert done.stdout.split() == [me, me, "18", "0"]


def test_binaries_behind_a_closed_door_are_copied(open_folder: Path, wheel: Path, tmp_path: Path) -> None:
    if not processes.is_root():
        pytest.skip("only root runs the server as somebody else")
    closed = tmp_path / "closed"
    package = wheel.parent.parent
    for part in ("bin", "lib", "share"):
        shutil.copytree(wheel.parent / part, closed / package.name / "pginstall18" / part)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, closed / libraries.name)
    closed.chmod(0o700)
    with (
        context(tmp_path / "journal") as (ctx, _),
        embedded.running(ctx, open_folder, binaries=closed / package.name / "pginstall18" / "bin") as server,
    ):
        assert server.programs.folder.is_relative_to(open_folder)
        with embedded.connected(ctx, server) as connection:
            assert connection.database.version_number // 10000 == 18
    assert not list(open_folder.iterdir())
    files.remove(closed)


def test_root_cannot_be_the_database_s_user(
    ctx: Context, open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not processes.is_root():
        pytest.skip("only root runs the server as somebody else")
    for name, reason in (("root", "refuses root"), ("no_such_account", "could not find the user")):
        monkeypatch.setenv("PLIMSOLL_DB_USER", name)
        with pytest.raises(Exception, match=reason), embedded.running(ctx, open_folder):
            pass
