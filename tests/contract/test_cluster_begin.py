"""How a command begins at a cluster: what is named is no scheduler, hangs, or somebody asks to end meanwhile."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from dask_cluster import Cluster, cluster
from plimsoll.base.errors import ExitStatus, Interrupted, PlimsollError
from plimsoll.cluster import dask_client
from plimsoll.cluster.dask_address import address_of
from plimsoll.cluster.dask_executor import cluster_executor
from plimsoll.context import Cancel

pytest.importorskip("distributed", reason="Dask is not installed: it is part of the extra cluster")

WAIT_S = 60.0


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler and a worker."""
    with cluster(tmp_path_factory.mktemp("cluster"), workers=1) as made:
        yield made


def refused(address: str) -> PlimsollError:
    with pytest.raises(PlimsollError) as caught, cluster_executor(address_of(address)):
        pass
    return caught.value


def test_the_address_of_a_worker_is_told_as_such(made: Cluster) -> None:
    [worker] = made.workers
    error = refused(worker)
    assert error.id == "cluster-unreachable"
    assert error.message.startswith(f"what answers at {worker} is a worker of Dask, and no scheduler: ")
    assert error.hint == "Name its scheduler, whose address the worker was started with."


def test_a_scheduler_that_hangs_is_told(made: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was stopped: the kernel takes connections for it."""
    monkeypatch.setattr(dask_client, "CLUSTER_CONNECT_S", 0.3)
    number = made.scheduler.process.pid
    os.kill(number, signal.SIGSTOP)
    try:
        error = refused(made.address)
    finally:
        os.kill(number, signal.SIGCONT)
    assert error.id == "cluster-silent"
    assert error.message == f"{made.address} did not answer for 0.3 s"


def test_one_that_hangs_after_its_greeting_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It greets who looks, and never the client of Dask, which would wait without end."""
    monkeypatch.setattr(dask_client, "CLUSTER_BEGIN_S", 0.3)
    monkeypatch.setattr(dask_client, "expect_scheduler", lambda *_: None)
    with socket.create_server(("127.0.0.1", 0)) as listens:
        address = f"tcp://127.0.0.1:{listens.getsockname()[1]}"
        error = refused(address)
    assert (error.id, error.message) == ("cluster-silent", f"{address} did not answer for 0.3 s")


def test_who_asks_to_end_waits_for_no_worker_that_hangs(made: Cluster) -> None:
    """Some wait at the begin goes on at the moment when it is asked."""
    [worker] = made.workers
    number = made.workers[worker].process.pid
    cancel = Cancel()
    os.kill(number, signal.SIGSTOP)
    asked = threading.Timer(0.5, cancel.set)
    asked.start()
    try:
        with pytest.raises(Interrupted), cluster_executor(address_of(made.address), cancel=cancel):
            pass
    finally:
        asked.join()
        os.kill(number, signal.SIGCONT)


def test_ctrl_c_ends_the_wait_for_a_scheduler_that_hangs(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as listens:
        address = f"tcp://127.0.0.1:{listens.getsockname()[1]}"
        command = subprocess.Popen(
            [sys.executable, "-m", "plimsoll", "read", str(tmp_path / "in"), "--cluster", address],
            env={**os.environ, "XDG_STATE_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            listens.settimeout(WAIT_S)
            taken = [listens.accept()[0] for _ in range(2)]
            command.send_signal(signal.SIGINT)
            _, said = command.communicate(timeout=WAIT_S)
        finally:
            command.kill()
            command.wait()
        for one in taken:
            one.close()
    assert command.returncode == ExitStatus.INTERRUPTED, said
    assert "error: interrupted" in said
    assert "cluster-silent" not in said
