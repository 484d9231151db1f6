"""Other programs: started, watched and ended, each remembered by its id and its start so that no stranger is ever hit."""

from __future__ import annotations

import os
import pwd
import select
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from plimsoll.base.values import value
from plimsoll.ports.files import read_text

if TYPE_CHECKING:
    import subprocess

    Process = subprocess.Popen
    CompletedProcess = subprocess.CompletedProcess
    TimeoutExpired = subprocess.TimeoutExpired

CAPTURE, WITH_STDOUT, DISCARD = -1, -2, -3
"""As Python's module for programs has them, which is loaded where one is started: most commands start none."""


@value
class Identity:
    """One process for good: ids are used again, an id with its start time is not."""

    pid: int
    start_ticks: int


@value
class SystemUser:
    """An account of this machine."""

    name: str
    user_id: int
    group_id: int


@value
class Programs:
    """The programs of one folder, and the account that runs them; None is this process's own."""

    folder: Path
    user: SystemUser | None = None

    def path(self, name: str) -> Path:
        """Where the program of that name is, or would be."""
        return self.folder / name


_ENDED = ("Z", "X", "x")
"""A zombie, and what is about to go by itself because nobody waits for it."""


def identity(pid: int) -> Identity | None:
    """The process now running under `pid`; None when there is none. One that has ended and is listed still counts as none."""
    try:
        # Its name may be any bytes.
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in _ENDED else Identity(pid, int(fields[19]))


def own_identity() -> Identity:
    """This process."""
    me = identity(os.getpid())
    assert me is not None, "this process must be in /proc"
    return me


def is_alive(process: Identity) -> bool:
    """Whether that very process still runs."""
    return identity(process.pid) == process


def is_hidden(pid: int) -> bool:
    """Whether a process of that id is there and /proc does not let us see it, as with its option hidepid (proc(5))."""
    try:
        os.stat(f"/proc/{pid}/stat")
    except OSError:
        return _is_there(pid)
    return False


def _is_there(pid: int) -> bool:
    """As the kernel says to who would send a signal (kill(2)): it tells processes that are not ours from those that are none."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def send(process: Identity, signal_number: int = signal.SIGTERM) -> bool:
    """Sends a signal to that very process; False when it is gone or not ours to signal.

    A handle is taken before the start time is compared, so that an id which is used again in between is not hit.
    """
    handle = _handle(process.pid)
    try:
        if not is_alive(process):
            return False
        if handle is None:
            os.kill(process.pid, signal_number)
        else:
            signal.pidfd_send_signal(handle, signal_number)
    except (ProcessLookupError, PermissionError):
        return False
    finally:
        if handle is not None:
            os.close(handle)
    return True


def _handle(pid: int) -> int | None:
    """A file descriptor of the process; None when there is none, or before Linux 5.3 (pidfd_open(2))."""
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def children(pid: int) -> list[int]:
    """Those that its first thread has started, as they are now (proc_pid_task(5), `children`)."""
    text = read_text(f"/proc/{pid}/task/{pid}/children") or ""
    return [int(number) for number in text.split() if number.isdigit()]


def inside_folder(folder: Path) -> list[Identity]:
    """Processes whose working directory lies in `folder`."""
    numbers = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    return [one for one in map(identity, numbers) if one is not None and works_inside(one, folder)]


def executable(process: Identity) -> str | None:
    """Path of the program that the process runs; None when it cannot be seen."""
    try:
        return os.readlink(f"/proc/{process.pid}/exe").removesuffix(" (deleted)")
    except OSError:
        return None


def works_inside(process: Identity, folder: Path) -> bool:
    """Whether its working directory is the folder or lies in it; not where that cannot be seen."""
    try:
        found = os.readlink(f"/proc/{process.pid}/cwd").removesuffix(" (deleted)")
    except OSError:
        return False
    return Path(found).is_relative_to(folder)


def boot_id() -> str:
    """Which boot of this machine it is; ids and start times of processes mean nothing beyond it."""
    return (read_text("/proc/sys/kernel/random/boot_id") or "unknown").replace("-", "")


def host_name() -> str:
    """The machine's own name, as in `uname -n`."""
    return os.uname().nodename


def program_path(name: str | Path) -> str:
    """The file that is run for `name`: links followed, a bare name looked up in PATH. As in `executable`."""
    import shutil

    return str(Path(shutil.which(name) or name).resolve())


def drop_standard_output() -> None:
    """What waits in buffers for a standard output that takes nothing goes nowhere, or the end of the process would wait for it."""
    nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.dup2(nowhere, 1)
    finally:
        os.close(nowhere)


def hold_closed_streams() -> None:
    """Puts nothing in place of standard streams that are closed: else the first file that is opened lay there, and what is meant
    for a stream, by a program that is started for one, would go into the file.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free is taken.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)


def talk_past_buffers(text: str) -> None:
    """Writes to this process's standard error at once, also while a thread of it holds the stream. Raises OSError."""
    os.write(2, text.encode())


def end_by(number: int) -> None:
    """Ends this process by that signal, as another one ended that it stands for; it leaves no image of its memory."""
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with suppress(OSError):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def leave_lost_terminal() -> None:
    """Has output go nowhere whose terminal is gone: to write there is an error, and there is nobody to be told of it."""
    for number in (1, 2):
        asked = select.poll()
        asked.register(number, 0)
        if any(state & select.POLLHUP for _, state in asked.poll(0)):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, number)
            os.close(nowhere)


def is_root() -> bool:
    """Whether this process runs with root's rights."""
    return os.geteuid() == 0


def find_user(name: str) -> SystemUser | None:
    """The account of that name, or None."""
    try:
        entry = pwd.getpwnam(name)
    except KeyError:
        return None
    return SystemUser(entry.pw_name, entry.pw_uid, entry.pw_gid)


def owner(pid: int, proc: Path = Path("/proc")) -> str | None:
    """The account that a process works as; None when it is gone, or the account has no name."""
    try:
        return pwd.getpwuid(os.stat(proc / str(pid)).st_uid).pw_name
    except (OSError, KeyError):
        return None


def start(
    command: Sequence[str],
    *,
    user: SystemUser | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    stdout: int | IO[str] | None = DISCARD,
    stderr: int | IO[str] | None = DISCARD,
    new_session: bool = True,
) -> subprocess.Popen[str]:
    """Starts a program, as `user` when given, out of reach of the terminal's Ctrl-C when `new_session`."""
    import subprocess

    return subprocess.Popen(
        list(command),
        cwd=folder,
        env=_environment(user, environment),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        text=True,
        start_new_session=new_session,
        **_as_user(user),
    )


def start_talking(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Starts a program whose standard streams are ours, out of reach of the terminal's Ctrl-C. Raises OSError."""
    import subprocess

    return subprocess.Popen(
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def how_ended(returncode: int) -> str:
    """In words, behind `with`: `status 3`, `signal 9 (SIGKILL)`."""
    return f"status {returncode}" if returncode >= 0 else signal_words(-returncode)


def signal_words(number: int, more: str = "") -> str:
    """Number and name of a signal, and what else is to be said of it; of one without a name the number alone."""
    try:
        return f"signal {number} ({signal.Signals(number).name}{more})"
    except ValueError:
        return f"signal {number}"


def be_ended_first(score: int = 500, pid: int | None = None) -> None:
    """Where memory is short, the kernel is to end this process, or a child of it, before those that it works for, of 1000 before
    any other (proc(5), oom_score_adj).
    """
    with suppress(OSError):
        Path(f"/proc/{'self' if pid is None else pid}/oom_score_adj").write_text(str(score))


def run(
    command: Sequence[str],
    *,
    user: SystemUser | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    timeout_s: float = 60.0,
) -> subprocess.CompletedProcess[str]:
    """Runs a short program to its end and returns its output; never raises for its exit status."""
    import subprocess

    return subprocess.run(
        list(command),
        cwd=folder,
        env=_environment(user, environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        **_as_user(user),
    )


def _environment(user: SystemUser | None, environment: Mapping[str, str] | None) -> dict[str, str] | None:
    """Ours, unless the caller says which; but our passwords are not for another user, who can read it of all own processes."""
    if environment is not None:
        return dict(environment)
    if user is None:
        return None
    return {name: os.environ[name] for name in _FOR_ANYBODY if name in os.environ}


_FOR_ANYBODY = ("PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH")


def _as_user(user: SystemUser | None) -> dict[str, Any]:
    if user is None:
        return {}
    return {"user": user.user_id, "group": user.group_id, "extra_groups": []}


_OF_SUBPROCESS = {
    "Process": "Popen",
    "CompletedProcess": "CompletedProcess",
    "TimeoutExpired": "TimeoutExpired",
}

if not TYPE_CHECKING:  # or no checker of types would miss a name that is none

    def __getattr__(name: str) -> Any:
        """Loaded when it is first asked for."""
        if name not in _OF_SUBPROCESS:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        import subprocess

        return getattr(subprocess, _OF_SUBPROCESS[name])
