"""A server of ssh with keys of the test's own, and the words that log in to its hosts without a password."""

from __future__ import annotations

import getpass
import os
import shlex
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

PORT_OF_NAMESPACE = 2222
_PATIENCE_S = 60.0


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def ssh_server(folder: Path, hosts: Mapping[str, str], port: int, at: Sequence[str] = ()) -> Iterator[str]:
    """The words of ssh with a configuration that knows these hosts by address, while a server answers for them all.

    `at` starts a command where these addresses are.
    """
    program = _sshd()
    folder.mkdir(mode=0o700)
    _key(folder / "host")
    _key(folder / "user")
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # It keeps its unprivileged part in there.
    addresses = "".join(f"ListenAddress {address}\n" for address in hosts.values())
    (folder / "sshd_config").write_text(
        f"Port {port}\n{addresses}HostKey {folder}/host\nAuthorizedKeysFile {folder}/user.pub\nStrictModes no\nUsePAM no\n"
        "PasswordAuthentication no\nPermitRootLogin prohibit-password\nPidFile none\nMaxStartups 100\n"
    )
    if (where := os.environ.get("PYTHONPATH")) is not None:
        # A login starts anew, and is to find the very code that is tested.
        with (folder / "sshd_config").open("a") as config:
            config.write(f'SetEnv PYTHONPATH="{where}"\n')
    names = "".join(f"Host {host}\n  HostName {address}\n" for host, address in hosts.items())
    (folder / "ssh_config").write_text(
        f"{names}Host *\n  Port {port}\n  User {getpass.getuser()}\n  IdentityFile {folder}/user\n"
        f"  UserKnownHostsFile {folder}/known\n  StrictHostKeyChecking accept-new\n"
    )
    with subprocess.Popen([*at, program, "-D", "-f", folder / "sshd_config", "-E", folder / "log"]) as server:
        try:
            _until_it_listens(list(hosts.values()), port, server, at)
            yield f"ssh -F {shlex.quote(str(folder / 'ssh_config'))} -T -o BatchMode=yes -- {{host}}"
        finally:
            server.terminate()


def _sshd() -> Path:
    program = Path("/usr/sbin/sshd")
    if not program.exists() or shutil.which("ssh") is None:
        pytest.skip("ssh and sshd are not both here; Debian's openssh-client and openssh-server have them")
    return program


def _key(path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)


def _until_it_listens(
    addresses: Sequence[str], port: int, server: subprocess.Popen[bytes], at: Sequence[str]
) -> None:
    until_s = time.monotonic() + _PATIENCE_S
    for address in addresses:
        reach = ("bash", "-c", f"exec 3<>/dev/tcp/{address}/{port}")
        while subprocess.run([*at, *reach], stderr=subprocess.DEVNULL, check=False).returncode:
            if server.poll() is not None:
                pytest.skip(f"sshd does not run here (status {server.returncode})")
            assert time.monotonic() < until_s, "it never listened"
            time.sleep(0.02)
