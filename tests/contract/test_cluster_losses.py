"""What a Dask cluster may do to those that read on it: workers and schedulers that go, and that are not what is needed."""

from __future__ import annotations

import builtins
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

import deadly
from dask_cluster import READY_S, Cluster, cluster, until
from plimsoll.base.errors import PlimsollError, SafetyError, WorldError
from plimsoll.cluster import dask_client, dask_executor, limits
from plimsoll.cluster.chosen import executor_for
from plimsoll.cluster.dask_address import address_of, refuse_open
from plimsoll.cluster.dask_executor import ClusterExecutor, _Post, _Posts, cluster_executor
from plimsoll.context import Ended
from plimsoll.requests.read import ReadRequest

pytest.importorskip("distributed", reason="Dask is not installed: it is part of the extra cluster")


@contextmanager
def beside(work: Callable[[], None], give_up: Callable[[], None]) -> Iterator[None]:
    """Another thread does that work meanwhile. Where it fails, `give_up` ends what the block waits for, and its error is raised."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - it is raised at the end
            failed.append(error)
            give_up()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        if failed:
            raise failed[0]


def end_all(processes: Iterable[psutil.Process]) -> None:
    """At once, with all that they started."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            for one in [*process.children(recursive=True), process]:
                with suppress(psutil.NoSuchProcess):
                    one.kill()


def test_a_failure_beside_what_is_waited_for_ends_it_and_is_told() -> None:
    ended = threading.Event()

    def waiting() -> None:
        with beside(lambda: print(1 // 0), ended.set):
            assert ended.wait(READY_S)
            raise WorldError("cluster-no-workers", "what the block waits for was ended")

    with pytest.raises(ZeroDivisionError):
        waiting()


def refused(address: str) -> PlimsollError:
    """By what a connection is refused."""
    with pytest.raises(PlimsollError) as caught, cluster_executor(address_of(address)):
        pass
    return caught.value


def pieces(executor: ClusterExecutor, *groups: list[str]) -> tuple[list[Any], list[str]]:
    """What came of groups of which some kill their worker, and what was said."""
    said: list[str] = []
    return list(executor.apart(deadly.orphaned, groups, said.append)), said


def test_the_group_of_a_lost_worker_goes_to_another(workers: Cluster, tmp_path: Path) -> None:
    mark = tmp_path / "mark.once"
    mark.touch()
    addresses = [workers.add(), workers.add()]
    with cluster_executor(address_of(workers.address)) as executor:
        [found], said = pieces(executor, ["a", str(mark), "b"])
    assert [piece[1] for piece in found] == [["a"], [str(mark)], ["b"]]
    [one] = said
    assert any(one == f"the worker {address} is gone; others do what it was at" for address in addresses)


def test_what_loses_two_workers_is_named_and_no_third_is_tried(workers: Cluster, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    mark.touch()
    addresses = [workers.add() for _ in range(3)]
    with cluster_executor(address_of(workers.address)) as executor:
        [found, more], _ = pieces(executor, ["a", str(mark), "b"], ["c"])
    assert [piece[0] for piece in found] == [["a"], [str(mark)], ["b"]]
    (_, one), (_, ended), (_, two) = found
    assert (one, two, more) == (["a"], ["b"], [(["c"], ["c"])])
    assert isinstance(ended, Ended)
    assert ended.why in {f"the loss of its worker {address}" for address in addresses}
    assert mark.read_text() == "killed\n" * 2


def test_what_two_workers_were_at_that_were_started_anew_is_read_by_a_third(
    workers: Cluster, tmp_path: Path
) -> None:
    """As in a rolling restart: each is told to end while it is at the same group, and its nanny passes that on."""
    mark = tmp_path / "mark"
    mark.touch()
    nannies = {workers.workers[one].process.pid: one for one in (workers.add(nanny=True) for _ in range(3))}

    readers: list[psutil.Process] = []

    def restart() -> None:
        for turn in range(2):
            until(lambda: len(mark.read_text().splitlines()) > turn)  # noqa: B023
            reader, worker = map(int, mark.read_text().splitlines()[turn].split())
            readers.append(psutil.Process(reader))
            nanny = psutil.Process(worker).ppid()
            os.kill(nanny, signal.SIGTERM)
            workers.expect_removed(nannies[nanny])
            readers[-1].resume()

    them = [*map(psutil.Process, nannies)]
    with (
        beside(restart, lambda: end_all([*readers, *them])),
        cluster_executor(address_of(workers.address)) as executor,
    ):
        [found] = executor.apart(deadly.held, [["a", str(mark), "b"]])
    assert found == [(["a", str(mark), "b"], ["a", str(mark), "b"])]
    assert len(mark.read_text().splitlines()) == 3


def test_what_workers_without_a_nanny_were_at_that_a_signal_ended_is_read_by_a_third(
    workers: Cluster, tmp_path: Path
) -> None:
    """Dask closes none of them, and tells nothing: they say by themselves that they end in order."""
    mark = tmp_path / "mark"
    mark.touch()
    them = {workers.workers[one].process.pid: one for one in (workers.add() for _ in range(3))}
    readers: list[psutil.Process] = []

    def restart() -> None:
        for turn in range(2):
            until(lambda: len(mark.read_text().splitlines()) > turn)  # noqa: B023
            reader, worker = map(int, mark.read_text().splitlines()[turn].split())
            readers.append(psutil.Process(reader))
            os.kill(worker, signal.SIGTERM)
            workers.expect_removed(them[worker])
            readers[-1].resume()

    with (
        beside(restart, lambda: end_all([*readers, *map(psutil.Process, them)])),
        cluster_executor(address_of(workers.address)) as executor,
    ):
        [found] = executor.apart(deadly.held, [["a", str(mark), "b"]])
    assert found == [(["a", str(mark), "b"], ["a", str(mark), "b"])]
    assert len(mark.read_text().splitlines()) == 3


def test_without_workers_it_ends(workers: Cluster, tmp_path: Path) -> None:
    mark = tmp_path / "mark.once"
    mark.touch()
    workers.add()
    with cluster_executor(address_of(workers.address)) as executor, pytest.raises(WorldError) as caught:
        pieces(executor, ["a", str(mark)])
    assert caught.value.id == "cluster-no-workers"
    error = refused(workers.address)
    assert (error.id, error.message) == ("cluster-no-workers", f"{workers.address} has no worker")


def test_another_process_at_its_address_does_not_take_its_place(workers: Cluster, tmp_path: Path) -> None:
    """As a scheduler gives work that is meant for one address to whoever is there."""
    workers.add()
    with cluster_executor(address_of(workers.address)) as executor:
        [post] = executor._posts._idle
        executor._posts._idle = [type(post)(post.address, "another")]
        with pytest.raises(WorldError) as caught:
            list(executor.apart(deadly.squares, [[1]]))
    assert caught.value.id == "cluster-no-workers"


def test_a_scheduler_that_goes_is_told(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with cluster(tmp_path, workers=1) as lost, cluster_executor(address_of(lost.address)) as executor:

        def kill() -> None:
            until(mark.exists)
            lost.scheduler.kill()

        killer = threading.Thread(target=kill)
        killer.start()
        with pytest.raises(WorldError) as caught:
            list(executor.apart(deadly.stopped, [[str(mark)]]))
        killer.join(READY_S)
        for worker in lost.workers.values():
            # Or it would have another process read, which would stop as well.
            worker.kill()
        os.kill(int(mark.read_text()), signal.SIGKILL)
    assert caught.value.id == "cluster-lost"
    assert "It goes on from the groups that were read whole." in (caught.value.hint or "")


def test_a_scheduler_that_hangs_while_files_are_read_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It keeps its connections and says nothing any more: what is asked of it in between finds that out."""
    monkeypatch.setattr(dask_client, "CLUSTER_CONNECT_S", 2.0)
    monkeypatch.setattr(dask_executor, "CLUSTER_LOOK_S", 0.2)
    mark = tmp_path / "mark"
    with cluster(tmp_path, workers=1) as hung, cluster_executor(address_of(hung.address)) as executor:

        def stop() -> None:
            until(mark.exists)
            hung.scheduler.process.send_signal(signal.SIGSTOP)

        found = executor.apart(deadly.stopped, [[""], [str(mark)], [""]])
        with beside(stop, hung.scheduler.kill), pytest.raises(WorldError) as caught:
            for _ in found:
                pass
        hung.scheduler.process.send_signal(signal.SIGCONT)
        for worker in hung.workers.values():
            worker.kill()
        os.kill(int(mark.read_text()), signal.SIGKILL)
    assert caught.value.id == "cluster-silent"
    assert "did not answer for 2 s" in caught.value.message
    assert "It goes on from the groups that were read whole." in (caught.value.hint or "")


def test_a_hanging_scheduler_ends_the_command_within_the_time_of_a_silent_link() -> None:
    ends_s = limits.CLUSTER_LOOK_S + limits.CLUSTER_CONNECT_S + limits.CLUSTER_CLOSE_ASKED_S
    assert ends_s <= limits.AGENT_SILENCE_S


def tasks(address: str) -> list[str]:
    """What the scheduler has, or is to do."""
    import distributed

    with distributed.Client(address, set_as_default=False) as client:
        found: Any = client.run_on_scheduler(lambda dask_scheduler: list(map(str, dask_scheduler.tasks)))
        return found


def test_who_stops_leaves_nothing_at_the_scheduler(workers: Cluster, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    workers.add()
    with cluster_executor(address_of(workers.address)) as executor:
        found = executor.apart(deadly.stopped, [[""], [str(mark)], [""], [""], [""]])
        next(found)
        until(mark.exists)
        assert tasks(workers.address) != []
        found.close()  # pyright: ignore[reportAttributeAccessIssue]
    until(lambda: not tasks(workers.address))


def customised(folder: Path, code: str) -> dict[str, str]:
    """The environment of a worker whose Python does that when it starts."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(code)
    return {"PYTHONPATH": os.pathsep.join((str(folder), *Cluster.path()))}


_OLD_DASK = """
import importlib.metadata as metadata
real = metadata.version
metadata.version = lambda name: "2024.1.0" if name == "dask" else real(name)
"""
_NO_PLIMSOLL = """
import sys
class Without:
    def find_spec(self, name, path=None, target=None):
        if name == "plimsoll":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Without())
"""


@pytest.mark.parametrize(
    ("code", "id", "message"),
    [
        (
            _OLD_DASK,
            "cluster-versions",
            "has dask 2024.1.0, and this has ",
        ),
        (
            "import plimsoll; plimsoll.__version__ = '0.0.9'",
            "cluster-versions",
            "has plimsoll 0.0.9, and this is ",
        ),
        (_NO_PLIMSOLL, "cluster-worker", "has no plimsoll"),
        (
            "import sys; sys.modules['plimsoll.cluster.dask_work'] = None",
            "cluster-worker",
            "has a plimsoll that knows no plimsoll.cluster.dask_work",
        ),
    ],
    ids=["dask", "plimsoll", "none", "old"],
)
def test_a_worker_that_is_not_what_is_needed_is_named(
    code: str, id: str, message: str, workers: Cluster, tmp_path: Path
) -> None:
    workers.add()
    address = workers.add(environment=customised(tmp_path / "site", code))
    error = refused(workers.address)
    assert (error.id, error.status) == (id, 2)
    assert error.message.startswith(f"the worker {address} ")
    assert message in error.message
    assert error.hint is not None


def test_a_worker_that_hangs_is_told(workers: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_client, "CLUSTER_ANSWER_S", 0.5)
    address = workers.add()
    number = workers.workers[address].process.pid
    os.kill(number, signal.SIGSTOP)
    try:
        assert refused(workers.address).id == "cluster-silent"
    finally:
        os.kill(number, signal.SIGCONT)


def test_who_finds_all_workers_busy_waits_for_one() -> None:
    """Also while one was taken and is not at work yet."""
    posts = _Posts(lambda work: None)
    posts.add([_Post("tcp://127.0.0.1:1", "a"), _Post("tcp://127.0.0.1:2", "b")])
    posts.lose("tcp://127.0.0.1:2")
    assert posts.news() == ["tcp://127.0.0.1:2"]
    first = posts.take(lambda: False)
    looked = threading.Event()
    found: list[_Post] = []

    def is_over() -> bool:
        looked.set()
        return False

    other = threading.Thread(target=lambda: found.append(posts.take(is_over)))
    other.start()
    assert looked.wait(READY_S)
    posts.give_back(first)
    other.join(READY_S)
    assert found == [first]
    posts.lose(first.address)
    with pytest.raises(WorldError) as caught:
        posts.take(lambda: False)
    assert caught.value.id == "cluster-no-workers"


def test_dask_itself_says_nothing_meanwhile(capfd: pytest.CaptureFixture[str]) -> None:
    loggers = [
        logging.getLogger(name)
        for name in ("distributed.client", "distributed.comm.tcp", "tornado.application")
    ]
    before = [(logger.handlers, logger.propagate) for logger in loggers]
    with dask_client._quiet():
        for logger in loggers:
            logger.error("a word of Dask's")
    assert capfd.readouterr() == ("", "")
    assert [(logger.handlers, logger.propagate) for logger in loggers] == before


def test_what_two_connections_change_lasts_until_the_last_ends() -> None:
    """Whichever of two threads was the first."""
    from dask import config

    logger, setting = logging.getLogger("distributed"), "distributed.admin.large-graph-warning-threshold"
    before = (logger.handlers, logger.propagate, config.get(setting, None))
    first, second = dask_client._quiet(), dask_client._quiet()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert (logger.propagate, config.get(setting)) == (False, "1 PiB")
    second.__exit__(None, None, None)
    assert (logger.handlers, logger.propagate, config.get(setting, None)) == before


def test_nothing_there_is_told() -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{one.getsockname()[1]}"
        error = refused(address)
    assert error.id == "cluster-unreachable"
    assert error.message.startswith(f"could not reach a Dask scheduler at {address}: ")


def test_what_is_no_scheduler_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            while True:
                try:
                    taken, _ = server.accept()
                except OSError:
                    return
                with taken:
                    taken.sendall(b"SSH-2.0-OpenSSH_9.2p1\r\n" * 4)

        threading.Thread(target=answer, daemon=True).start()
        error = refused(f"tcp://127.0.0.1:{server.getsockname()[1]}")
        server.shutdown(socket.SHUT_RDWR)
    assert error.id == "cluster-unreachable"


def test_addresses_are_read_as_they_are_printed() -> None:
    for text in ("tcp://127.0.0.1:8786", "tls://[::1]:8786", "tls://db-1.example:80"):
        assert str(address_of(text)) == text


@pytest.mark.parametrize("host", ["192.0.2.1", "[2001:db8::1]", "0.0.0.0"])
def test_without_tls_others_are_refused(host: str) -> None:
    asked = ReadRequest(("x",), cluster=f"tcp://{host}:8786")
    with pytest.raises(SafetyError) as caught, executor_for(asked):
        pass
    assert (caught.value.id, caught.value.status) == ("cluster-without-tls", 3)
    refuse_open(address_of(f"tcp://{host}:8786"), without_tls=True)
    refuse_open(address_of(f"tls://{host}:8786"), without_tls=False)


def test_this_host_needs_no_tls() -> None:
    for host in ("127.0.0.1", "[::1]", "localhost"):
        refuse_open(address_of(f"tcp://{host}:8786"), without_tls=False)


def test_without_dask_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *words: Any, **more: Any) -> Any:
        if name == "distributed":
            raise ImportError(name)
        return real(name, *words, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    error = refused("tcp://127.0.0.1:8786")
    assert error.id == "extra-missing"
    assert "'plimsoll-storage[cluster]'" in (error.hint or "")
