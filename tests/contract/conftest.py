"""What several files of this folder start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from agents_here import Way, by_launcher, by_workers
from dask_cluster import Cluster, cluster
from plimsoll.native import block_probe
from plimsoll.observe.block_io import BlockWatch


@pytest.fixture
def watch() -> Iterator[BlockWatch]:
    """The probe of block I/O, in the kernel until the test ends."""
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    probe = block_probe.start()
    yield BlockWatch(probe)
    probe.stop()


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster without workers, to which tests add those that they want."""
    pytest.importorskip("distributed", reason="Dask is not installed: it is part of the extra cluster")
    with cluster(tmp_path_factory.mktemp("cluster"), workers=0) as made:
        yield made


@pytest.fixture
def workers(scheduler: Cluster) -> Iterator[Cluster]:
    """Without those of another test."""
    yield scheduler
    scheduler.end_workers()


@pytest.fixture(scope="module")
def named_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler, and workers that are called as the hosts of tests are."""
    pytest.importorskip("distributed", reason="Dask is not installed: it is part of the extra cluster")
    with cluster(tmp_path_factory.mktemp("cluster"), workers=0) as made:
        for name in ("a", "b", "c", "d"):
            made.add(name=name)
        yield made


@pytest.fixture(params=["launcher", "dask"])
def way(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Way:
    """Each way to start agents."""
    if request.param == "launcher":
        return by_launcher(tmp_path_factory.mktemp("agents"))
    return by_workers(request.getfixturevalue("named_workers"))
