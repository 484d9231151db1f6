"""Several hosts over real ssh: two addresses of the loopback, each reached by a login with a key of the test's own."""

from __future__ import annotations

import getpass
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from command import PROGRAM, here, started

HOSTS = {"db1": "127.0.0.1", "db2": "127.0.0.2"}
_PATIENCE_S = 60.0


def _sshd() -> Path:
    program = Path("/usr/sbin/sshd")
    if not program.exists() or shutil.which("ssh") is None:
        pytest.skip("ssh and sshd are not both here; Debian's openssh-client and openssh-server have them")
    return program


def _key(path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def launcher(tmp_path: Path) -> Iterator[str]:
    """The words of ssh with a configuration that knows both hosts, while a server answers for them."""
    program, folder, port = _sshd(), tmp_path / "ssh", _free_port()
    folder.mkdir(mode=0o700)
    _key(folder / "host")
    _key(folder / "user")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # It keeps its unprivileged part in there.
    addresses = "".join(f"ListenAddress {address}\n" for address in HOSTS.values())
    (folder / "sshd_config").write_text(
        f"Port {port}\n{addresses}HostKey {folder}/host\nAuthorizedKeysFile {folder}/user.pub\nStrictModes no\nUsePAM no\n"
        "PasswordAuthentication no\nPermitRootLogin prohibit-password\nPidFile none\n"
    )
    names = "".join(f"Host {host}\n  HostName {address}\n" for host, address in HOSTS.items())
    (folder / "ssh_config").write_text(
        f"{names}Host db*\n  Port {port}\n  User {getpass.getuser()}\n  IdentityFile {folder}/user\n"
        f"  UserKnownHostsFile {folder}/known\n  StrictHostKeyChecking accept-new\n"
    )
    words = [str(program), "-D", "-f", str(folder / "sshd_config"), "-E", str(folder / "log")]
    with subprocess.Popen(words) as server:
        try:
            _until_it_listens(port, server)
            yield f"ssh -F {shlex.quote(str(folder / 'ssh_config'))} -T -o BatchMode=yes -- {{host}}"
        finally:
            server.terminate()


def _until_it_listens(port: int, server: subprocess.Popen[bytes]) -> None:
    until_s = time.monotonic() + _PATIENCE_S
    for address in HOSTS.values():
        while True:
            with socket.socket() as probe:
                if probe.connect_ex((address, port)) == 0:
                    break
            if server.poll() is not None:
                pytest.skip(f"sshd does not run here (status {server.returncode})")
            assert time.monotonic() < until_s, "it never listened"
            time.sleep(0.02)


def _words(folder: Path, launcher: str, *more: str) -> tuple[str | Path, ...]:
    there = ("--hosts", ",".join(HOSTS), "--launcher", launcher, "--agent", f"{shlex.quote(PROGRAM)} agent")
    return (folder, *there, "--size", "64m", "--depth", "1", "--engine", "psync", *more, "--json")


def test_two_logins_measure_together_and_leave_nothing(tmp_path: Path, launcher: str) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    done = here("io", *_words(folder, launcher, "--runtime", "1s"))
    assert done.returncode in (0, 1), done.stderr
    data = json.loads(done.stdout)["data"]
    assert [one["lost_because"] for one in data["hosts"]] == [None, None]
    assert data["one_storage"] is True
    for one in data["hosts"]:
        assert abs(one["clock_offset_us"]) <= one["clock_error_us"], "there is one clock"
        assert one["begun_late_us"] >= 0
    assert list(folder.iterdir()) == []


def test_a_login_that_is_ended_loses_its_host_alone(tmp_path: Path, launcher: str) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    client = started("io", *_words(folder, launcher, "--runtime", "8s", "--events", "-"))
    assert client.stderr is not None
    next(line for line in client.stderr if '"kind":"live"' in line)
    links = [
        int(pid) for pid in subprocess.check_output(["pgrep", "-P", str(client.pid), "-f", "db2"]).split()
    ]
    assert len(links) == 1
    os.kill(links[0], signal.SIGKILL)
    out, _ = client.communicate(timeout=_PATIENCE_S)
    whole, lost = json.loads(out)["data"]["hosts"]
    assert client.returncode == 5
    assert whole["lost_because"] is None
    assert lost["lost_because"].startswith("db2 was lost")
    assert lost["windows"]
    until_s = time.monotonic() + _PATIENCE_S
    while any(folder.iterdir()):
        assert time.monotonic() < until_s, "the agent behind the login took its file along"
        time.sleep(0.05)
