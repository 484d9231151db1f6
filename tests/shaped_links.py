"""A client and a server with links between them, each of its own speed, which can be cut: namespaces of the network.

Each link is a pair of virtual interfaces that the kernel's token bucket slows down in both directions (`tc`, tbf). It takes root;
`links` skips the test with the reason where anything is missing.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from kit import ganesha

PROGRAMS = ("ip", "tc", "nsenter")
_SEARCHED = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
_BURST_BYTES = 128 << 10
"""At least what TCP hands over as one piece."""
_NOBODY = "02:00:00:00:00:fe"
LINK_HEAD_BYTES, MTU = 14, 1500
"""What the bucket counts for each packet beside it, and the longest packet."""
_IP_HEAD_BYTES, _TCP_HEAD_BYTES = 20, 32
"""The latter with time stamps."""


def arithmetic_bytes_per_s(bits_per_s: float) -> float:
    """What TCP carries over such a link as the kernel counts it, in full packets. It leaves out the heads of NFS."""
    return bits_per_s / 8 * (MTU - _IP_HEAD_BYTES - _TCP_HEAD_BYTES) / (MTU + LINK_HEAD_BYTES)


@dataclass
class Links:
    """Both hosts. Links are counted from 0; `addresses` are the server's."""

    client: str
    server: str
    addresses: list[str] = field(default_factory=list)

    @property
    def at_client(self) -> tuple[str, ...]:
        """What starts a command on the client."""
        return _at(self.client)

    @property
    def at_server(self) -> tuple[str, ...]:
        return _at(self.server)

    def add(self) -> str:
        """One more link, as fast as the machine; the server's address on it."""
        number = len(self.addresses)
        own, far = f"10.77.{number}.2", f"10.77.{number}.1"
        _run("ip", "link", "add", _client_end(number), "netns", self.client, "mtu", str(MTU), "type", "veth",
             "peer", "name", _server_end(number), "netns", self.server, "mtu", str(MTU))  # fmt: skip
        for host, end, address in (
            (self.client, _client_end(number), own),
            (self.server, _server_end(number), far),
        ):
            _run("ip", "-n", host, "address", "add", f"{address}/24", "dev", end)
            _run("ip", "-n", host, "link", "set", end, "up")
        self.addresses.append(far)
        return far

    def shape(self, number: int, bits_per_s: int) -> None:
        """Slows a link down, in each direction."""
        for host, end in ((self.client, _client_end(number)), (self.server, _server_end(number))):
            bucket = ("tbf", "rate", f"{bits_per_s}bit", "burst", str(_BURST_BYTES), "latency", "20ms")
            _try("tc", "-n", host, "qdisc", "replace", "dev", end, "root", *bucket)

    def cut(self, number: int, way: str) -> None:
        """Cuts a link at the client's end, at the server's, or so that only answers are lost: they go to nobody's card."""
        if way == "answers":
            neighbour = ("lladdr", _NOBODY, "dev", _server_end(number), "nud", "permanent")
            _run("ip", "-n", self.server, "neighbour", "replace", f"10.77.{number}.2", *neighbour)
        else:
            _run("ip", "-n", *self._end(number, way), "down")

    def mend(self, number: int, way: str) -> None:
        """Takes a cut back."""
        if way == "answers":
            own = (f"10.77.{number}.2", "dev", _server_end(number))
            _run("ip", "-n", self.server, "neighbour", "delete", *own)
        else:
            _run("ip", "-n", *self._end(number, way), "up")

    def _end(self, number: int, way: str) -> tuple[str, ...]:
        host, end = {
            "client": (self.client, _client_end(number)),
            "server": (self.server, _server_end(number)),
        }[way]
        return (host, "link", "set", end)

    def carried(self, number: int) -> tuple[int, int]:
        """Bytes that the client has received and sent over a link so far."""
        told = _run("ip", "-n", self.client, "-j", "-s", "link", "show", _client_end(number))
        counts = json.loads(told)[0]["stats64"]
        return counts["rx"]["bytes"], counts["tx"]["bytes"]


CUTS = ("client", "server", "answers")


def _client_end(number: int) -> str:
    return f"c{number}"


def _server_end(number: int) -> str:
    return f"s{number}"


def _at(host: str) -> tuple[str, ...]:
    # The network alone: `ip netns exec` would lay another /sys over this host's.
    return ("nsenter", f"--net=/run/netns/{host}", "--")


@contextmanager
def links(amount: int) -> Iterator[Links]:
    """Two hosts with so many links between them, until the end of the block."""
    _require()
    with ExitStack() as stack:
        made = Links(f"plimsoll-{os.getpid()}-client", f"plimsoll-{os.getpid()}-server")
        for host in (made.client, made.server):
            _try("ip", "netns", "add", host)
            stack.callback(_run, "ip", "netns", "delete", host)
            _run("ip", "-n", host, "link", "set", "lo", "up")
        for _ in range(amount):
            made.add()
        yield made


def _require() -> None:
    if os.geteuid() != 0:
        pytest.skip("namespaces of the network are made by root")
    for program in PROGRAMS:
        if shutil.which(program, path=_SEARCHED) is None:
            pytest.skip(f"{program} not found: it takes Debian's packages iproute2 and util-linux")


def _try(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"{' '.join(words)} is not possible here: {done.stderr.strip()}")


def _run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stderr.strip()}"
    return done.stdout


@contextmanager
def exported(made: Links, bytes_of_file: bytes) -> Iterator[Path]:
    """A folder in memory with the file `data`, which ganesha serves on the server's side over every link."""
    with folder_of(bytes_of_file) as export, ganesha.serving(export, "0.0.0.0", made.at_server):
        yield export


@contextmanager
def folder_of(bytes_of_file: bytes) -> Iterator[Path]:
    """A folder in memory with the file `data`, for ganesha."""
    for program in ganesha.PROGRAMS:
        if shutil.which(program, path=_SEARCHED) is None:
            pytest.skip(f"{program} not found: it takes Debian's packages nfs-ganesha-vfs and gcc")
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="plimsoll-") as folder:
        (export := Path(folder)).chmod(0o755)
        (export / "data").write_bytes(bytes_of_file)
        yield export
