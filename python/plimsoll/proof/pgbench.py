"""Drives a PostgreSQL database with its own pgbench, and reads what pgbench says of itself.

pgbench's count is independent of the server's counters, which is what it is here for. It runs as a scratch process: it ends
with the command. A password travels in its environment, a key's passphrase in a file that only we can read: never in its
arguments, where every user could see it.

Source: PostgreSQL manual, pgbench.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.base.installing import extra_hint
from plimsoll.context import Context
from plimsoll.databases import _postgres_errors as libpq
from plimsoll.ports import files, processes
from plimsoll.ports.folders import open_folder

BUILTIN_SCRIPTS = ("select-only", "simple-update", "tpcb-like")
_SERVICE = "plimsoll"
_POLL_S = 0.1
_END_SIGNALS = (2, 9)
_DEBIAN = Path("/usr/lib/postgresql")

_PROGRESS = re.compile(r"progress: (?P<at_s>[\d.]+) s, (?P<tps>[\d.]+) tps, lat (?P<lat_ms>[\d.]+|NaN) ms")
_TRANSACTIONS = re.compile(r"number of transactions actually processed: (\d+)")
_FAILED = re.compile(r"number of failed transactions: (\d+)")
_TPS = re.compile(r"^tps = ([\d.]+)", re.MULTILINE)
_LATENCY = re.compile(r"latency average = ([\d.]+) ms")
_STDDEV = re.compile(r"latency stddev = ([\d.]+) ms")
_CONNECT = re.compile(r"initial connection time = ([\d.]+) ms")


@dataclass(frozen=True)
class Second:
    """One line of progress: transactions per second since the line before, and their mean latency."""

    at_s: float
    tps: float
    latency_us_mean: float | None


@dataclass(frozen=True)
class PgbenchResult:
    """What pgbench counted. With `ended_early` there is no final report, and the figures come from its lines of progress."""

    transactions: int | None
    tps: float | None
    latency_us_mean: float | None
    latency_us_stddev: float | None
    failed: int | None
    connect_s: float | None
    seconds: tuple[Second, ...]
    ended_early: bool


def find_binary(programs: processes.Programs | None = None) -> Path:
    """pgbench among `programs`, else on PATH, else Debian's newest. Raises WorldError `pgbench-missing`."""
    candidates = [programs.path("pgbench")] if programs else []
    on_path = shutil.which("pgbench")
    candidates += [Path(on_path)] if on_path else []
    candidates += sorted(_DEBIAN.glob("*/bin/pgbench"), key=_version_in_path, reverse=True)
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    hint = f"Install PostgreSQL's client programs (Debian: postgresql-contrib), or a whole PostgreSQL. {extra_hint('embedded')}"
    raise WorldError("pgbench-missing", "could not find pgbench", hint)


def initialise(
    ctx: Context,
    url: str,
    scale: int,
    *,
    programs: processes.Programs | None = None,
    fill_factor_percent: int = 100,
) -> None:
    """Makes pgbench's own tables: 100 000 accounts (13 MB) for each unit of scale. Drops those that are there.

    Raises WorldError `pgbench-failed`, or Interrupted.
    """
    arguments = ["--initialize", f"--scale={scale}", f"--fillfactor={fill_factor_percent}", "--quiet"]
    ctx.progress("load", f"making pgbench's tables at scale {scale}")
    running = _launch(ctx, url, arguments, programs)
    try:
        while running.poll() is None:
            ctx.cancel.check()
            ctx.clock.sleep(_POLL_S)
        running.check()
    finally:
        running.stop()


def start(
    ctx: Context,
    url: str,
    *,
    seconds: float,
    clients: int = 8,
    jobs: int = 2,
    script: str = "tpcb-like",
    rate_per_s: float | None = None,
    protocol: str = "prepared",
    programs: processes.Programs | None = None,
    seed: int | None = None,
    transactions_per_client: int | None = None,
    variables: Mapping[str, int] | None = None,
) -> Pgbench:
    """Starts a load for `seconds` (or a number of transactions for each client) and returns at once.

    `script` is the name of one of pgbench's own (`BUILTIN_SCRIPTS`) or the text of a script, which gets `variables`. With
    `programs` it is theirs, run by their account.
    """
    arguments = [
        f"--client={clients}",
        f"--jobs={min(jobs, clients)}",
        f"--protocol={protocol}",
        "--no-vacuum",
        "--progress=1",
    ]
    arguments.append(
        f"--transactions={transactions_per_client}"
        if transactions_per_client
        else f"--time={max(1, round(seconds))}"
    )
    arguments += [f"--rate={rate_per_s:g}"] if rate_per_s else []
    arguments += [f"--random-seed={seed}"] if seed is not None else []
    arguments += [f"--define={name}={value}" for name, value in (variables or {}).items()]
    return _launch(ctx, url, arguments, programs, script)


class Pgbench:
    """A pgbench that runs, or ran."""

    def __init__(self, ctx: Context, process: processes.Process[str], folder: Path) -> None:
        self._ctx = ctx
        self._process = process
        self._folder = folder
        self._final: PgbenchResult | None = None
        self._stopped = False

    def poll(self) -> int | None:
        """The exit status once it ended, else None."""
        return self._process.poll()

    def seconds(self) -> tuple[Second, ...]:
        """Lines of progress so far."""
        return parse_progress(self._text("err"))

    def wait(self, on_second: Callable[[Second], None] | None = None) -> PgbenchResult:
        """Waits for the end, or for a cancel, which ends it early and keeps what it had counted.

        Raises WorldError `pgbench-failed` with pgbench's own last words.
        """
        told = 0
        while self.poll() is None and not self._ctx.cancel.is_set:
            self._ctx.clock.sleep(_POLL_S)
            seconds = self.seconds() if on_second else ()
            for second in seconds[told:]:
                if on_second:
                    on_second(second)
            told = len(seconds)
        return self.result()

    def result(self) -> PgbenchResult:
        """What it counted; ends it first when it still runs. Raises WorldError `pgbench-failed`."""
        if self._final is None:
            ended_itself = self.poll() is not None and not self._stopped
            if ended_itself:
                self.check()
            self._end()
            self._final = parse_result(self._text("out"), self._text("err"), ended_early=not ended_itself)
            self._ctx.scratch.release(self._folder)
        return self._final

    def stop(self) -> None:
        """Ends it and removes its files; nothing happens when that was done."""
        self._end()
        self._ctx.scratch.release(self._folder)

    def check(self) -> None:
        """Raises WorldError `pgbench-failed` unless it ended well."""
        status = self.poll()
        if status:
            raise failure(status, self._text("err") + self._text("out"))

    def _end(self) -> None:
        if self._process.poll() is None:
            self._stopped = True
            known = processes.identity(self._process.pid)
            for number in _END_SIGNALS:
                if known is not None:
                    processes.send(known, number)
                with suppress(processes.TimeoutExpired):
                    self._process.wait(timeout=5)
                    return

    def _text(self, name: str) -> str:
        return files.read_text(self._folder / name) or ""


def parse_progress(text: str) -> tuple[Second, ...]:
    """pgbench's lines of progress, in milliseconds there and microseconds here."""
    return tuple(
        Second(float(match["at_s"]), float(match["tps"]), _us(match["lat_ms"]))
        for match in _PROGRESS.finditer(text)
    )


def parse_result(output: str, errors: str, ended_early: bool) -> PgbenchResult:
    """pgbench's final report, or without one what the lines of progress add up to; None where neither says."""
    seconds = parse_progress(errors)
    transactions, tps = _number(_TRANSACTIONS, output), _number(_TPS, output)
    if transactions is None and seconds:
        spans = [
            after.at_s - before
            for after, before in zip(seconds, [0.0] + [s.at_s for s in seconds], strict=False)
        ]
        total = sum(second.tps * span for second, span in zip(seconds, spans, strict=True))
        transactions, tps = round(total), total / seconds[-1].at_s
    failed, connect_ms = _number(_FAILED, output), _number(_CONNECT, output)
    return PgbenchResult(
        transactions=None if transactions is None else int(transactions),
        tps=tps,
        latency_us_mean=_us(_number(_LATENCY, output)),
        latency_us_stddev=_us(_number(_STDDEV, output)),
        failed=None if failed is None else int(failed),
        connect_s=None if connect_ms is None else connect_ms / 1000,
        seconds=seconds,
        ended_early=ended_early,
    )


def failure(status: int, text: str) -> PlimsollError:
    """pgbench's own reason as one line."""
    lines = [line.strip() for line in text.splitlines() if "error" in line.lower() or "fatal" in line.lower()]
    reason = lines[0].removeprefix("pgbench: error: ") if lines else f"it ended with status {status}"
    hint = "Its last words: " + (" / ".join(lines[-3:]) or "none") + "."
    return WorldError(
        "pgbench-failed", f"could not drive the database with pgbench: {reason[:1].lower()}{reason[1:]}", hint
    )


@dataclass(frozen=True)
class Login:
    """How pgbench gets to a database: words that every user of the machine may read, and variables that they may not."""

    words: str
    environment: Mapping[str, str]


def login_of(url: str, folder: Path, user: processes.SystemUser | None = None) -> Login:
    """The URL as libpq reads it. A passphrase has no variable: it goes into a service file in `folder`, for `user` alone.

    Raises UsageError `database-url`.
    """
    shown = {name: str(value) for name, value in libpq.parse_url(url).items()}
    hidden = {name: shown.pop(name) for name in ("password", "sslpassword") if name in shown}
    environment = {"PGPASSWORD": hidden["password"]} if "password" in hidden else {}
    if "sslpassword" in hidden:
        with open_folder(folder) as opened, opened.new_file("service", 0o600) as file:
            file.write(f"[{_SERVICE}]\nsslpassword={hidden['sslpassword']}\n".encode())
            if user is not None:
                files.change_owner(file, user.user_id, user.group_id)
        environment["PGSERVICEFILE"] = str(folder / "service")
        shown = {"service": _SERVICE, **shown}
    return Login(libpq.driver().conninfo.make_conninfo(**shown), environment)


def _launch(
    ctx: Context,
    url: str,
    arguments: list[str],
    programs: processes.Programs | None,
    script: str | None = None,
) -> Pgbench:
    ctx.cancel.check()
    binary, user = find_binary(programs), programs.user if programs else None
    # Another account that runs it passes through our folder to the script, and lists nothing.
    folder = ctx.scratch.new_folder(_scratch_parent(), "pgbench", 0o700 if user is None else 0o711)
    if script is not None and script in BUILTIN_SCRIPTS:
        arguments = [*arguments, f"--builtin={script}"]
    elif script is not None:
        _write_script(ctx, folder, script)
        arguments = [*arguments, f"--file={folder / _SCRIPT}"]
    login = login_of(url, folder, user)
    # What stands in our environment, passwords perhaps, is none of another account's business.
    ours = dict(os.environ) if user is None else {}
    environment = {**ours, "LC_ALL": "C", "PGAPPNAME": "plimsoll pgbench", **login.environment}
    with files.open_output(folder / "out") as out, files.open_output(folder / "err") as err:
        process = ctx.scratch.start(
            [str(binary), *arguments, login.words],
            user=user,
            folder=folder,
            environment=environment,
            stdout=out,
            stderr=err,
            end_signals=_END_SIGNALS,
        )
    return Pgbench(ctx, process, folder)


_SCRIPT = "script.sql"


def _write_script(ctx: Context, folder: Path, script: str) -> None:
    with ctx.scratch.opened(folder) as opened, opened.new_file(_SCRIPT, 0o644) as file:
        file.write(script.encode() + b"\n")


def _scratch_parent() -> Path:
    """A few kilobytes of output: any folder does."""
    return Path("/tmp")


def _version_in_path(path: Path) -> float:
    try:
        return float(path.parent.parent.name)
    except ValueError:
        return 0.0


def _number(pattern: re.Pattern[str], text: str) -> float | None:
    found = pattern.search(text)
    return float(found.group(1)) if found else None


def _us(milliseconds: str | float | None) -> float | None:
    if milliseconds is None or milliseconds == "NaN":
        return None
    return float(milliseconds) * 1000
