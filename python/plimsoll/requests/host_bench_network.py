"""What can be asked of `plimsoll host bench network`."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from plimsoll.base.errors import UsageError
from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Examples, Request, idle
from plimsoll.requests.host import OUT

STREAMS_MAX = 128
"""The most that iperf3 takes."""

_PATHS = Asked(
    "paths",
    "Each as [NAME=][OWN_ADDRESS,]SERVER, where iperf3 -s runs.",
    metavar="PATH",
    stands_first=True,
    group="Target",
)
_STREAMS = Asked("streams", "Beside one stream, so many at once.", low=1, high=STREAMS_MAX, group="Load")
_PORT = Asked("port", "Port of iperf3 on the far side.", low=1, high=65535, group="Target")
_RUNTIME = shared.RUNTIME.but(help="How long each test lasts, in whole seconds.", low=1.0, high=3600.0)
_HOSTS = shared.HOSTS.but(help="Where iperf3 is started: SERVER, or CLIENT,SERVER.")
_HOSTS_MAX = 2
_PATH = re.compile(r"(?:([A-Za-z][\w-]*)=)?(?:([^,=]+),)?([^,=\s-][^,=\s]*)")
_HINT = "Write storage=10.1.0.5,10.1.0.9, or only the far side: 10.1.0.9."


@dataclass(frozen=True)
class HostBenchNetworkRequest(Request):
    """What the network gives over named paths: one way, the other, both, with one stream and with several."""

    verb = "host bench network"
    examples: ClassVar[Examples] = (
        ("To a host where `iperf3 -s` runs", "host bench network db2"),
        (
            "Two paths, each from an address of its own, as a page",
            "host bench network storage=10.1.0.5,10.1.0.9 backup=10.2.0.5,10.2.0.9 --streams 8 --out network.html",
        ),
        ("Between two other hosts, iperf3 started on both", "host bench network 10.1.0.9 --hosts db1,db2"),
    )

    paths: tuple[str, ...] = _PATHS.field()
    streams: int = _STREAMS.field(4)
    runtime_s: float = _RUNTIME.field(5.0)
    port: int = _PORT.field(5201)
    hosts: tuple[str, ...] = _HOSTS.field(())
    """Empty: a server runs already. One: it is started on that host. Two: the client runs on the first, the server on the other."""
    launcher: str = shared.LAUNCHER.field(shared.SSH)
    out: str | None = OUT.field(None)

    @property
    def is_client_far(self) -> bool:
        """Whether another host than this one is the client."""
        return len(self.hosts) > 1

    @property
    def client(self) -> str | None:
        """The host that is the client; None: this one."""
        return self.hosts[0] if self.is_client_far else None

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`, `host-name`, `network-hosts`."""
        if not self.hosts and "hosts" not in given:
            idle(given, HostBenchNetworkRequest, "without --hosts", "launcher")
            return
        shared.refuse_hosts(self.hosts)
        if len(self.hosts) > _HOSTS_MAX:
            message = f"--hosts names {len(self.hosts)} hosts, and a path has two ends"
            raise UsageError("network-hosts", message, "Name the client and the server: --hosts db1,db2.")

    def named(self) -> tuple[tuple[str, str | None, str], ...]:
        """Name, own address and server of each. Raises UsageError `network-path`."""
        found = tuple(self._named())
        names = [name for name, _, _ in found]
        for at, name in enumerate(names):
            if name in names[:at]:
                hint = "Give each a name of its own: storage=10.1.0.9 backup=10.2.0.9."
                raise UsageError("network-path", f"{name} is the name of two paths", hint)
        return found

    def whole_seconds(self) -> int:
        """Of `runtime_s`. Raises UsageError `network-runtime`: iperf3 would cut a fraction off, and say nothing."""
        if self.runtime_s != int(self.runtime_s):
            message = f"--runtime: a test of iperf3 lasts whole seconds, and not {self.runtime_s:g} s"
            raise UsageError("network-runtime", message, f"Write --runtime {int(self.runtime_s) + 1}s.")
        return int(self.runtime_s)

    def _named(self) -> Iterator[tuple[str, str | None, str]]:
        for word in self.paths:
            told = _PATH.fullmatch(word)
            if told is None:
                raise UsageError("network-path", f"cannot read '{word}' as a path", _HINT)
            if told[2] is not None and not _is_address(told[2]):
                message = f"'{word}': {told[2]} is no address of this host, such as 10.1.0.5"
                raise UsageError("network-path", message, _HINT)
            server, colon, port = told[3].partition(":")
            if colon and port.isdigit():
                message = f"'{word}': a server is named without its port"
                raise UsageError("network-path", message, f"Write {server} --port {port}.")
            yield told[1] or told[3], told[2], told[3]


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return True
