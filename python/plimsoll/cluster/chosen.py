"""Who does the work over many reports: this host, or the cluster that the command names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from plimsoll.context import Cancel, Executor, LocalExecutor

if TYPE_CHECKING:
    from plimsoll.requests.asked import Request


@contextmanager
def executor_for(asked: Request | None, cancel: Cancel | None = None) -> Iterator[Executor]:
    """The one that was asked for, until the block ends. Dask is loaded where it is asked for alone.

    `cancel` ends the wait for a cluster that does not answer.

    Raises UsageError `cluster-address`, SafetyError `cluster-without-tls`, Interrupted, and what the cluster makes known.
    """
    named = getattr(asked, "cluster", None)
    if named is None:
        yield LocalExecutor()
        return
    from plimsoll.cluster.dask_address import address_of, refuse_open

    address = address_of(named)
    without_tls = getattr(asked, "cluster_without_tls", False)
    refuse_open(address, without_tls)
    from plimsoll.cluster.dask_executor import cluster_executor

    with cluster_executor(address, without_tls, cancel) as executor:
        yield executor
