"""Hosts that are the workers of a Dask cluster: their names, and what starts an agent beside each of them.

Dask is one more way to standard streams: where a launcher would be, a process of ours talks with the worker
(`dask_bridge`), and all else is as over ssh.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plimsoll.base.errors import UsageError, WorldError
from plimsoll.base.printable import printable
from plimsoll.cluster.dask_address import Address
from plimsoll.cluster.launch import is_host_name
from plimsoll.ports.own_python import python_of_ours

BRIDGE = "plimsoll.cluster.dask_bridge"
WITHOUT_TLS = "--without-tls"
_NAMES_MAX = 20
_NO_WORKER_HINT = "Start some, such as `dask worker {address}`, where Plimsoll is installed."


@dataclass(frozen=True)
class ClusterLaunch:
    """How agents are started beside workers; see `launch.Launch`."""

    address: Address
    without_tls: bool

    @property
    def ends_as_agent(self) -> bool:
        """Or by that of a lost connection."""
        return True

    def command(self, host: str) -> list[str]:
        """For one worker. Raises OSError."""
        return python_of_ours(BRIDGE, self._words(host))

    def by_hand(self, host: str) -> str:
        """What a person types to see whether the worker is reached."""
        return f"{self.agent_by_hand(host)} </dev/null"

    def agent_by_hand(self, host: str) -> str:
        """What a person types to start the agent there."""
        return shlex.join([sys.executable, "-m", BRIDGE, *self._words(host)])

    def _words(self, host: str) -> list[str]:
        return [str(self.address), host, *([WITHOUT_TLS] if self.without_tls else [])]


def workers_by_name(identity: Mapping[str, Any]) -> dict[str, str]:
    """The addresses of workers by their names, by what the scheduler says of them: by the name that somebody gave, where hosts can
    be called so, else by host and port.
    """
    workers = identity["workers"]
    return {_name(address, one.get("name")): address for address, one in workers.items()}


def _name(address: str, given: object) -> str:
    """Dask calls a worker that nobody named by its address."""
    name = str(given)
    is_given = given is not None and "://" not in name and is_host_name(name)
    return name if is_given else address.partition("://")[2] or address


def chosen(address: Address, there: Mapping[str, str], wanted: Sequence[str]) -> tuple[str, ...]:
    """The workers that are meant: all, where none are named.

    Raises UsageError `cluster-worker-unknown`, WorldError `cluster-no-workers`.
    """
    if not there:
        message = f"{address} has no worker"
        raise WorldError("cluster-no-workers", message, _NO_WORKER_HINT.format(address=address))
    for name in wanted:
        if name not in there:
            names = sorted(there)
            more = f" and {len(names) - _NAMES_MAX} more" if len(names) > _NAMES_MAX else ""
            message = f"{address} has no worker {printable(name)}"
            hint = f"It has {', '.join(names[:_NAMES_MAX])}{more}. Without --hosts all of them take part."
            raise UsageError("cluster-worker-unknown", message, hint)
    return tuple(wanted or sorted(there))
