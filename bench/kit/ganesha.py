"""ganesha with the files of one folder of this host: an NFS server of somebody else's, for benchmarks and tests.

It needs root for such files, and no port mapper: two functions in front of it say that its programs are registered.
"""

from __future__ import annotations

import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kit.preload import preloaded

PROGRAMS = ("ganesha.nfsd", "cc")
NFS_PORT, MOUNT_PORT = 12049, 12050
_PATIENCE_S = 30.0
_PSEUDO = "/export"
"""What the export is called over NFS 4."""
_REGISTERED = """int rpcb_set(unsigned program, unsigned version, const void *network, const void *address) { return 1; }
int rpcb_unset(unsigned program, unsigned version, const void *network) { return 1; }
"""
_SETTINGS = """NFS_CORE_PARAM {{ NFS_Protocols = 3, 4; NFS_Port = {port}; MNT_Port = {mount_port}; Bind_addr = {address};
  Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false; }}
NFSV4 {{ Graceless = true; RecoveryBackend = fs; RecoveryRoot = {work}; }}
EXPORT {{ Export_Id = 1; Path = {export}; Pseudo = {pseudo}; Access_Type = RW; Squash = No_Root_Squash; SecType = sys;
  Protocols = 3, 4; Transports = TCP; PrivilegedPort = false; FSAL {{ Name = VFS; }} }}
"""


class DidNotStart(Exception):
    """It does not listen."""


def url(address: str, export: Path, name: str, *options: str) -> str:
    """The target that a file of it is for us."""
    ports = (f"port={NFS_PORT}", f"mount_port={MOUNT_PORT}")
    return f"nfs://{address}{export}/{name}?{'&'.join((*ports, *options))}"


def url_over_4(address: str, name: str) -> str:
    """The same over NFS 4, where nobody is asked to mount it."""
    return f"nfs://{address}{_PSEUDO}/{name}?port={NFS_PORT}&version=4"


@contextmanager
def serving(export: Path, address: str = "127.0.0.1", before: Sequence[str] = ()) -> Iterator[int]:
    """Serves that folder until the end of the block; the process. `before` starts it elsewhere, as in a network of its own."""
    with starting(export, address, before) as server:
        yield server.process


@contextmanager
def starting(
    export: Path, address: str = "127.0.0.1", before: Sequence[str] = (), functions: str = ""
) -> Iterator[Server]:
    """The same, with a server that can be killed and started anew. `functions` in C stand in front of the library's, too."""
    with tempfile.TemporaryDirectory() as work:
        settings = Path(work) / "ganesha.conf"
        ports = {"port": NFS_PORT, "mount_port": MOUNT_PORT}
        settings.write_text(
            _SETTINGS.format(**ports, address=address, work=work, export=export, pseudo=_PSEUDO)
        )
        words = (
            "ganesha.nfsd",
            "-F",
            "-f",
            settings,
            "-L",
            f"{work}/log",
            "-p",
            f"{work}/pid",
            "-N",
            "EVENT",
        )
        server = Server(
            (*before, *preloaded(Path(work), "in_front", _REGISTERED + functions), *map(str, words))
        )
        try:
            server.start()
            yield server
        finally:
            server.stop()


class Server:
    """The process."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self._words = words
        self._started: subprocess.Popen[bytes] | None = None
        self._second = 0

    @property
    def process(self) -> int:
        """Its number."""
        assert self._started is not None, "it runs"
        return self._started.pid

    def start(self) -> None:
        """Starts it, and waits until it listens; never twice in one second, as its verifier is the second of its start."""
        while int(time.time()) <= self._second:
            time.sleep(0.01)
        self._started = subprocess.Popen(self._words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _wait_until_up(self._started)
        self._second = int(time.time())

    def kill(self) -> None:
        """Ends it at once, as if its host had lost power but for what that keeps in memory."""
        if self._started is not None:
            self._started.kill()
            self._started.wait()
            self._started = None

    def stop(self) -> None:
        """Lets it end, if it runs."""
        if self._started is None:
            return
        self._started.send_signal(signal.SIGTERM)
        try:
            self._started.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.kill()


def _wait_until_up(server: subprocess.Popen[bytes]) -> None:
    until_s = time.monotonic() + _PATIENCE_S
    while not all(_listens(server.pid, port) for port in (NFS_PORT, MOUNT_PORT)):
        if server.poll() is not None or time.monotonic() > until_s:
            raise DidNotStart(f"ganesha does not listen on the ports {NFS_PORT} and {MOUNT_PORT}")
        time.sleep(0.05)


def _listens(process: int, port: int) -> bool:
    """Whether anybody listens on that port in the network of that process, which has become ganesha."""
    try:
        if not Path(f"/proc/{process}/comm").read_text().startswith("ganesha"):
            return False
        tables = [Path(f"/proc/{process}/net/{name}").read_text() for name in ("tcp", "tcp6")]
    except OSError:
        return False
    ends = (line.split()[1:4] for table in tables for line in table.splitlines()[1:])
    return any(own.endswith(f":{port:04X}") and state == "0A" for own, _, state in ends)
