"""How agents are started, as a request says it: by a launcher such as ssh, or by the workers of a Dask cluster."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from plimsoll.cluster.launch import Launch, Way, check_hosts
from plimsoll.requests.shared import AsksHosts

if TYPE_CHECKING:
    from plimsoll.context import Cancel


Asking = TypeVar("Asking", bound=AsksHosts)


def way_of(asked: AsksHosts) -> Way:
    """Raises UsageError (`launcher-unreadable`, `launcher-no-host`, `cluster-address`), SafetyError `cluster-without-tls`."""
    if asked.agents_cluster is None:
        launch = Launch(asked.launcher, asked.agent)
        for host in asked.hosts[:1]:
            launch.command(host)
        return launch
    from plimsoll.cluster.dask_address import address_of, refuse_open
    from plimsoll.cluster.dask_hosts import ClusterLaunch

    address = address_of(asked.agents_cluster)
    refuse_open(address, asked.agents_without_tls)
    return ClusterLaunch(address, asked.agents_without_tls)


def names_of(asked: AsksHosts, cancel: Cancel | None = None) -> tuple[str, ...]:
    """The hosts that are meant. The workers of a cluster are asked who they are, and whether they have this very build.

    `cancel` ends the wait for a cluster that does not answer.

    Raises UsageError (`hosts-twice`, `host-name`, `cluster-worker-unknown`), Interrupted, and what `way_of` and a connection
    to the cluster raise.
    """
    check_hosts(asked.hosts)
    way = way_of(asked)
    if isinstance(way, Launch):
        return asked.hosts
    from plimsoll.cluster.dask_client import connected, identities
    from plimsoll.cluster.dask_hosts import ClusterLaunch, chosen, workers_by_name

    assert isinstance(way, ClusterLaunch), "there is no third way"
    with connected(way.address, way.without_tls, cancel) as link:
        there = workers_by_name(link.identity())
        names = chosen(way.address, there, asked.hosts)
        identities(link, [there[name] for name in names])
    return names


def with_names(asked: Asking, cancel: Cancel | None = None) -> Asking:
    """The same request with the names of all hosts that are meant. Raises as `names_of`."""
    return replace(asked, hosts=names_of(asked, cancel))  # type: ignore[type-var]
