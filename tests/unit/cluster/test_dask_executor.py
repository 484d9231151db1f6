"""Who is named where workers of a cluster go, by the real executor on workers that are told when to go."""

from __future__ import annotations

import concurrent.futures
import pickle
import threading
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from plimsoll import __version__
from plimsoll.base.errors import UsageError, WorldError
from plimsoll.cluster import dask_executor, dask_work
from plimsoll.cluster.dask_executor import ClusterExecutor
from plimsoll.cluster.dask_work import Identity, Made
from plimsoll.context import Ended

WAIT_S = 60.0
RESULT = b"read"


class Work:
    """Groups at a worker."""

    def __init__(self, address: str, groups: list[list[Any]]) -> None:
        self.address, self.groups = address, groups
        self.items = [item for group in groups for item in group]
        self.wait = Wait()

    def done(self, made: Made | None = None) -> None:
        self.wait.set_result(made or Made(tuple(((len(group), RESULT),) for group in self.groups)))


class Wait(concurrent.futures.Future[Any]):
    """Nobody may cancel it, as others may wait by the same."""

    def cancel(self) -> bool:
        raise AssertionError("a wait that others share was cancelled")


class Workers:
    """In place of a link. Each `worker://HOST/NAME` has so many threads; `does` is called, one at a time, with what is at work."""

    def __init__(self, threads: dict[str, int], does: Callable[[Workers], None]) -> None:
        self.address = "scheduler"
        self.is_open = True
        self.is_silent = False
        self.build = "one"
        self.client = SimpleNamespace(submit=self._submit, gather=lambda work, asynchronous: work)
        self.at_work: list[Work] = []
        self.tried: list[tuple[str, list[Any]]] = []
        self._threads, self._does = threads, does
        self._lock = threading.RLock()
        self._heeds: list[Callable[[str, bool], None]] = []

    def heed_losses(self, lost: Callable[[str, bool], None]) -> dict[str, int]:
        self._heeds.append(lost)
        return self.threads()

    def threads(self) -> dict[str, int]:
        return dict(self._threads)

    def calls(self, addresses: list[str], _: float, function: Any, *words: Any) -> list[Any]:
        if function is not dask_work.identity:
            return [None for _ in addresses]
        return [Identity(one, __version__, "3", one.split("/")[2], self.build) for one in addresses]

    def _submit(self, _: Any, packed: tuple[Any, ...], workers: list[str], **__: Any) -> Work:
        return Work(workers[0], [pickle.loads(group.items) for group in packed[-1]])

    def begin(self, work: Work) -> Wait:
        with self._lock:
            self.at_work.append(work)
            self.tried.append((work.address, work.items))
            self._does(self)
        return work.wait

    def cancel(self, work: Work) -> None:
        with self._lock:
            if not work.wait.done():
                work.wait.set_exception(concurrent.futures.CancelledError())

    def let_go(self, work: Work) -> None:
        assert work.wait.done()

    def go(self, address: str, by_owner: bool = False) -> None:
        """A worker goes, and the scheduler says so."""
        del self._threads[address]
        self.at_work = [work for work in self.at_work if work.address != address]
        for lost in self._heeds:
            lost(address, by_owner)

    def finish(self) -> None:
        """All that is at work goes well."""
        found, self.at_work = self.at_work, []
        for work in found:
            work.done()


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_work, "packed_call", lambda *call: call)
    monkeypatch.setattr(dask_work, "build", lambda: "one")


def read(workers: Workers, *groups: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """What became of each item, and what was said."""
    said: list[str] = []
    found: dict[str, Any] = {}
    for pieces in ClusterExecutor(workers).apart(len, groups, said.append):  # type: ignore[arg-type]
        found |= {item: result for items, result in pieces for item in items}
    return found, said


def test_what_shared_a_worker_with_the_one_that_kills_it_is_not_named() -> None:
    """Two groups at one worker, and both again: beside each other they would be lost together once more."""

    def does(workers: Workers) -> None:
        deadly = [work for work in workers.at_work if "X" in work.items]
        if deadly and len(workers.at_work) == 2:
            workers.go(deadly[0].address)
        if not any("X" in work.items for work in workers.at_work) and len(workers.tried) >= 4:
            workers.finish()

    workers = Workers({"worker://a/1": 2, "worker://b/1": 2, "worker://c/1": 2}, does)
    found, _ = read(workers, ["X"], ["y1", "y2"])
    assert {address for address, _ in workers.tried[:2]} == {"worker://a/1"}
    assert isinstance(found["X"], Ended)
    assert (found["y1"], found["y2"]) == (RESULT, RESULT)


def test_the_second_try_is_on_another_host() -> None:
    """A host that goes down takes all its workers with it, one after the other."""

    def does(workers: Workers) -> None:
        [work] = workers.at_work
        if work.address.startswith("worker://a/"):
            workers.go(work.address)
        else:
            workers.finish()

    workers = Workers({"worker://a/1": 1, "worker://a/2": 1, "worker://b/1": 1}, does)
    assert read(workers, ["y"])[0] == {"y": RESULT}
    assert [address for address, _ in workers.tried] == ["worker://a/1", "worker://b/1"]


def test_workers_that_their_owner_ends_one_after_the_other_tell_nothing_of_what_they_did() -> None:
    def does(workers: Workers) -> None:
        [work] = workers.at_work
        if len(workers.tried) < 4:
            workers.go(work.address, by_owner=True)
        else:
            workers.finish()

    workers = Workers({f"worker://a/{number}": 1 for number in range(4)}, does)
    found, said = read(workers, ["x", "y"])
    assert found == {"x": RESULT, "y": RESULT}
    assert [items for _, items in workers.tried] == [["x", "y"]] * 4
    assert len(said) == 3, "each that goes is told"


def test_what_two_workers_die_of_is_named_however_many_were_ended() -> None:
    def does(workers: Workers) -> None:
        [work] = workers.at_work
        workers.go(work.address, by_owner=len(workers.tried) % 2 == 1)

    workers = Workers({f"worker://a/{number}": 1 for number in range(5)}, does)
    found, _ = read(workers, ["X"])
    assert found == {"X": Ended(f"the loss of its worker {workers.tried[3][0]}")}
    assert len(workers.tried) == 4


def test_a_second_try_waits_until_its_worker_has_nothing_else_to_do() -> None:
    posts = dask_executor._Posts(lambda work: None)
    posts.add([dask_executor._Post("a", "1", "h"), dask_executor._Post("a", "1", "h")])
    first = posts.take(lambda: False)
    looked = threading.Event()
    found: list[Any] = []

    def is_over() -> bool:
        if posts._alone:
            looked.set()
        return False

    other = threading.Thread(target=lambda: found.append(posts.take_alone(is_over, "h")))
    other.start()
    assert looked.wait(WAIT_S)
    assert found == []
    posts.give_back(first)
    other.join(WAIT_S)
    [alone] = found
    assert (posts._free(), posts._alone) == ([], {"a": True})
    posts.give_back(alone)
    assert len(posts._free()) == 2


def test_another_process_at_its_address_is_no_try() -> None:
    def does(workers: Workers) -> None:
        [work] = workers.at_work
        workers.at_work = []
        if work.address == "worker://a/1":
            workers.go(work.address)
        else:
            work.done(Made() if work.address == "worker://b/1" else None)

    workers = Workers({"worker://a/1": 1, "worker://b/1": 1, "worker://c/1": 1}, does)
    assert read(workers, ["y"])[0] == {"y": RESULT}
    assert len(workers.tried) == 3


def test_who_sees_by_himself_that_a_worker_is_gone_leaves_the_wait_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dask_executor, "CLUSTER_LOOK_S", 0.001)
    monkeypatch.setattr(dask_executor, "CLUSTER_TOLD_S", 0.001)

    def does(workers: Workers) -> None:
        [work] = workers.at_work
        workers.at_work = []
        if work.address == "worker://a/1":
            del workers._threads[work.address]  # and nobody says so
        else:
            work.done()

    workers = Workers({"worker://a/1": 1, "worker://b/1": 1}, does)
    found, said = read(workers, ["y"])
    assert found == {"y": RESULT}
    assert said == ["the worker worker://a/1 is gone; others do what it was at"]


def test_an_owners_end_that_is_seen_before_it_is_told_is_still_the_owners(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dask_executor, "CLUSTER_LOOK_S", 0.001)
    monkeypatch.setattr(dask_executor, "CLUSTER_TOLD_S", WAIT_S)
    tellers: list[threading.Timer] = []

    def does(workers: Workers) -> None:
        [work] = workers.at_work
        if len(workers.tried) == 4:
            workers.finish()
            return
        workers.at_work = []
        del workers._threads[work.address]
        tellers.append(threading.Timer(0.2, workers._heeds[0], (work.address, True)))
        tellers[-1].start()

    workers = Workers({f"worker://a/{number}": 1 for number in range(4)}, does)
    found, _ = read(workers, ["x", "y"])
    for teller in tellers:
        teller.join(WAIT_S)
    assert found == {"x": RESULT, "y": RESULT}
    assert [items for _, items in workers.tried] == [["x", "y"]] * 4


UNSTARTED = WorldError("worker-unstarted", "could not start a process that reads: no memory", "Free some.")


def test_a_worker_that_cannot_start_what_reads_is_told_and_others_do_it() -> None:
    def does(workers: Workers) -> None:
        for work in workers.at_work:
            work.done(Made(error=UNSTARTED) if work.address == "worker://a/1" else None)
        workers.at_work = []

    workers = Workers({"worker://a/1": 2, "worker://b/1": 1}, does)
    found, said = read(workers, ["x"], ["y"], ["z"])
    assert found == {"x": RESULT, "y": RESULT, "z": RESULT}
    assert said == [
        "the worker worker://a/1 on a could not start a process that reads: no memory; others do what it was to do"
    ]


def test_where_no_worker_can_start_what_reads_the_first_is_named() -> None:
    def does(workers: Workers) -> None:
        for work in workers.at_work:
            work.done(Made(error=UNSTARTED))
        workers.at_work = []

    with pytest.raises(WorldError) as caught:
        read(Workers({"worker://a/1": 1, "worker://b/1": 1}, does), ["x"])
    assert (caught.value.id, caught.value.hint) == ("worker-unstarted", "Free some.")
    assert (
        caught.value.message == "the worker worker://a/1 on a could not start a process that reads: no memory"
    )


def test_a_worker_that_goes_before_it_says_what_it_is_is_left_out() -> None:
    workers = Workers({"worker://a/1": 1, "worker://b/1": 1}, Workers.finish)
    answers = workers.calls

    def calls(addresses: list[str], seconds: float, function: Any, *words: Any) -> list[Any]:
        told = answers(addresses, seconds, function, *words)
        if function is dask_work.identity:
            del workers._threads["worker://a/1"]
            told[0] = OSError("closed")
        return told

    workers.calls = calls  # type: ignore[method-assign]
    assert read(workers, ["y"])[0] == {"y": RESULT}
    assert workers.tried == [("worker://b/1", ["y"])]


def test_a_worker_with_another_build_of_the_same_release_is_refused() -> None:
    """What it reads would be kept as what this one reads."""
    workers = Workers({"worker://a/1": 1}, Workers.finish)
    for workers.build in ("another", ""):
        with pytest.raises(UsageError) as caught:
            read(workers, ["y"])
        assert caught.value.id == "cluster-versions"
        assert caught.value.message == (
            f"the worker worker://a/1 on a has another build of plimsoll {__version__}, which may read otherwise"
        )


def test_nobody_does_what_the_last_worker_was_at() -> None:
    def does(workers: Workers) -> None:
        work = workers.at_work[0]
        workers.finish()
        workers.go(work.address)

    found, said = read(Workers({"worker://a/1": 1}, does), ["A"])
    assert found == {"A": RESULT}
    assert said == ["the worker worker://a/1 is gone"]


def test_of_groups_that_went_out_together_the_one_item_is_named_by_the_second_worker_that_it_costs() -> None:
    lost: list[list[Any]] = []

    def does(workers: Workers) -> None:
        for work in list(workers.at_work):
            if "X" in work.items:
                lost.append(work.items)
                workers.go(work.address)
        workers.finish()

    workers = Workers({f"worker://a/{number}": 1 for number in range(3)}, does)
    groups = [[f"{number}a", f"{number}b"] for number in range(20)]
    groups[7].append("X")
    found, _ = read(workers, *groups)
    assert isinstance(found.pop("X"), Ended)
    assert found == {item: RESULT for group in groups for item in group if item != "X"}
    assert lost == [[*groups[6], *groups[7], *groups[8]], ["X"]]
