"""Work apart on the workers of a Dask cluster, with the same results and the same ends as by processes apart on this host.

Which worker does what is decided here and not by the scheduler: it would give what one died of to the next, three times over.
Groups whose worker is lost are done again item by item, on another host where there is one, and by a worker that has nothing else
of ours to do meanwhile; the item whose worker is lost once more is named by `Ended`. So none is named for what another did, or for
a host that goes down with all its workers. A worker that its owner ended, as one that is started anew, did not die of anything.
"""

from __future__ import annotations

import concurrent.futures
import pickle
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from plimsoll.base.errors import Interrupted, PlimsollError, WorldError
from plimsoll.cluster import dask_work
from plimsoll.cluster.dask_address import Address
from plimsoll.cluster.dask_client import Link, connected, identities
from plimsoll.cluster.dask_flow import content_bytes, in_weighed_groups
from plimsoll.cluster.limits import (
    CLUSTER_CLOSE_S,
    CLUSTER_FAREWELL_S,
    CLUSTER_LOOK_S,
    CLUSTER_THREADS_MAX,
    CLUSTER_TOLD_S,
)
from plimsoll.context import Cancel
from plimsoll.context.apart import Ended, Pieces
from plimsoll.context.executor import LocalExecutor

Item = TypeVar("Item")
Result = TypeVar("Result")

_NO_WORKER_HINT = "Start some with `dask worker ADDRESS`, then call it again: it goes on from the groups that were read whole."


@dataclass(frozen=True)
class _Post:
    """One thread of a worker."""

    address: str
    process: str
    """The very process, as another one may come to the same address."""
    host: str = ""


@dataclass(frozen=True)
class _Lost:
    """In place of a result: its worker is gone."""

    post: _Post


class ClusterExecutor:
    """Its `map` is that of this host; its `apart` has as many groups at work as the workers have threads."""

    is_elsewhere = True

    def __init__(self, link: Link) -> None:
        self._link = link
        self._posts = _Posts(link.cancel)
        self._here = LocalExecutor()
        threads = link.heed_losses(self._posts.lose)
        whos = identities(link, sorted(threads))
        self._posts.add(
            [
                _Post(name, who.process, who.host)
                for name, who in whos.items()
                for _ in range(max(1, threads[name]))
            ]
        )
        if not self._posts.number:
            raise WorldError("cluster-no-workers", f"{link.address} has no worker", _NO_WORKER_HINT)
        self._threads = min(max(1, self._posts.number), CLUSTER_THREADS_MAX)

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        return self._here.map(function, items)

    def apart(
        self,
        function: Callable[[Sequence[Item]], Result],
        groups: Iterable[Sequence[Item]],
        warn: Callable[[str], None] = lambda _: None,
    ) -> Iterator[Pieces[Item, Result]]:
        run = _Run(self._link, self._posts, function)
        try:
            for found in in_weighed_groups(run.pieces, groups, self._threads, run.stop, _size):
                for lost in self._posts.news():
                    warn(f"the worker {lost} is gone{self._by_others('what it was at')}")
                for why in self._posts.failures():
                    warn(f"{why}{self._by_others('what it was to do')}")
                yield found
        finally:
            run.close()

    def _by_others(self, what: str) -> str:
        """Nobody does it where that was the last one."""
        return f"; others do {what}" if self._posts.is_anyone else ""


class _Posts:
    """Who is there, and who is idle."""

    def __init__(self, cancel: Callable[[Any], None]) -> None:
        self._cancel = cancel
        self._changed = threading.Condition()
        self._idle: list[_Post] = []
        self._taken: list[_Post] = []
        self._busy: dict[Any, _Post] = {}
        """By the work that it is at."""
        self._alone: dict[str, bool] = {}
        """Workers that are to have one thing to do and nothing beside it, and whether they are at it."""
        self._gone: set[str] = set()
        self._ended: set[str] = set()
        """Those of them that their owner ended."""
        self._news: list[str] = []
        self._unable: dict[str, WorldError] = {}
        """Workers that could not start what reads, by their addresses."""
        self._untold: list[str] = []
        self.number = 0

    def add(self, posts: Sequence[_Post]) -> None:
        """All of those that are there at the begin."""
        with self._changed:
            there = [post for post in posts if post.address not in self._gone]
            self._idle += there
            self.number += len(there)

    def lose(self, address: str, by_owner: bool = False) -> None:
        """Who waits for that worker waits no more."""
        with self._changed:
            if by_owner:
                self._ended.add(address)
                self._changed.notify_all()
            if address in self._gone:
                return
            self._gone.add(address)
            if any(post.address == address for post in (*self._idle, *self._taken)):
                self._news.append(address)
            self._idle = [post for post in self._idle if post.address != address]
            in_vain = [work for work, post in self._busy.items() if post.address == address]
            self._changed.notify_all()
        for work in in_vain:
            self._cancel(work)

    def await_loss(self, address: str, seconds: float, is_over: Callable[[], bool]) -> None:
        """Until somebody says that the worker is lost, for so long at most."""
        with self._changed:
            self._changed.wait_for(lambda: is_over() or address in self._gone, seconds)

    def await_owner(self, address: str, seconds: float, is_over: Callable[[], bool]) -> None:
        """Until somebody says that the owner of a worker that is lost ended it, for so long at most."""
        with self._changed:
            self._changed.wait_for(lambda: is_over() or address in self._ended, seconds)

    def is_gone(self, address: str) -> bool:
        """Whether that worker was lost."""
        with self._changed:
            return address in self._gone

    def was_ended(self, address: str) -> bool:
        """Whether the owner of that worker ended it."""
        with self._changed:
            return address in self._ended

    def news(self) -> list[str]:
        """Each that was lost, once."""
        with self._changed:
            news, self._news = self._news, []
            return news

    def failures(self) -> list[str]:
        """Each worker that could not start what reads, once, with the reason."""
        with self._changed:
            untold, self._untold = self._untold, []
            return untold

    def take(self, is_over: Callable[[], bool]) -> _Post:
        """An idle one. Raises WorldError `cluster-no-workers`, `Interrupted`."""
        with self._changed:
            self._changed.wait_for(lambda: is_over() or self._free() or not self._is_anyone)
            self._expect_some(is_over)
            # In turn, so that not one worker has all its threads busy while another has none.
            return self._taken_of(self._free()[0])

    def take_alone(self, is_over: Callable[[], bool], host: str) -> _Post:
        """One whose worker does nothing else until it is given back, and that is not on that host where there is another.

        Raises WorldError `cluster-no-workers`, `Interrupted`.
        """
        with self._changed:
            while True:
                self._changed.wait_for(lambda: is_over() or self._to_clear(host) or not self._is_anyone)
                self._expect_some(is_over)
                address = self._to_clear(host)[0]
                self._alone[address] = False
                self._changed.wait_for(lambda: is_over() or not self._is_taken(address))  # noqa: B023
                found = [post for post in self._idle if post.address == address]
                if found and not is_over():
                    self._alone[address] = True
                    return self._taken_of(found[0])
                del self._alone[address]
                self._changed.notify_all()

    def give_back(self, post: _Post, unable: WorldError | None = None) -> None:
        """It is idle again, where it is there still and can start what reads."""
        with self._changed:
            self._taken.remove(post)
            if self._alone.get(post.address):
                del self._alone[post.address]
            if unable is not None:
                self._note(post, unable)
            elif post.address not in self._gone:
                self._idle.append(post)
            self._changed.notify_all()

    def wake(self) -> None:
        """Who waits for an idle one looks whether it is over."""
        with self._changed:
            self._changed.notify_all()

    @contextmanager
    def at_work(self, post: _Post, work: Any) -> Iterator[None]:
        """Meanwhile the loss of its worker ends the wait for it."""
        with self._changed:
            self._busy[work] = post
            is_gone = post.address in self._gone
        if is_gone:
            self._cancel(work)
        try:
            yield
        finally:
            with self._changed:
                del self._busy[work]

    def _taken_of(self, post: _Post) -> _Post:
        self._idle.remove(post)
        self._taken.append(post)
        return post

    def _note(self, post: _Post, unable: WorldError) -> None:
        """That thread of the worker is not asked again; others may have what they read with."""
        if post.address in self._unable:
            return
        message = f"the worker {post.address} on {post.host} {unable.message}"
        self._unable[post.address] = WorldError("worker-unstarted", message, unable.hint)
        self._untold.append(message)

    def _free(self) -> list[_Post]:
        """Idle ones, but for those of workers that are kept for one thing."""
        return [post for post in self._idle if post.address not in self._alone]

    def _to_clear(self, host: str) -> list[str]:
        """Workers of which one could be kept for one thing, the idlest first; none where those of other hosts are kept already."""
        there = self._there()
        elsewhere = [post for post in there if post.host != host]
        addresses = {post.address for post in elsewhere or there} - self._alone.keys()
        return sorted(addresses, key=lambda one: (sum(post.address == one for post in self._taken), one))

    def _is_taken(self, address: str) -> bool:
        return any(post.address == address for post in self._taken)

    def _there(self) -> list[_Post]:
        """All that are not lost."""
        return [*self._idle, *(post for post in self._taken if post.address not in self._gone)]

    @property
    def is_anyone(self) -> bool:
        """Whether a worker is there still."""
        with self._changed:
            return self._is_anyone

    @property
    def _is_anyone(self) -> bool:
        return bool(self._there())

    def _expect_some(self, is_over: Callable[[], bool]) -> None:
        if is_over():
            raise Interrupted
        if not self._is_anyone:
            for error in self._unable.values():
                raise error
            message = "no worker is there that could read"
            raise WorldError("cluster-no-workers", message, _NO_WORKER_HINT)


class _Run:
    """One asking of the workers, by several threads."""

    def __init__(self, link: Link, posts: _Posts, function: Callable[..., Any]) -> None:
        self._link = link
        self._posts = posts
        self._function = pickle.dumps(function, pickle.HIGHEST_PROTOCOL)
        self._name = uuid.uuid4().hex
        self._changes = threading.Lock()
        self._works: list[Any] = []
        self._asked: set[str] = set()
        self._over: concurrent.futures.Future[None] = concurrent.futures.Future()
        """Done once nobody wants anything any more."""

    def pieces(self, groups: Sequence[Sequence[Any]]) -> list[Pieces[Any, Any]]:
        """The results of each group: where their worker was lost, item by item, each by a worker that does nothing else."""
        found = self._pieces(groups, lambda: self._posts.take(self._ends))
        if not isinstance(found, _Lost):
            return found
        host = found.post.host
        return [[piece for item in group for piece in self._again(item, host)] for group in groups]

    def stop(self) -> None:
        """Who waits waits no more, and what reads at workers ends at once."""
        with self._changes:
            if not self._over.done():
                self._over.set_result(None)
            works = list(self._works)
        self._posts.wake()
        for work in works:
            self._link.cancel(work)

    def close(self) -> None:
        """No process of this is left at the workers that are there, where the scheduler still hands anything on."""
        if self._link.is_silent:
            return
        addresses = sorted(address for address in self._asked if not self._posts.is_gone(address))
        if addresses:
            with suppress(PlimsollError):
                self._link.calls(addresses, CLUSTER_CLOSE_S, dask_work.end, self._name)

    def _again(self, item: Any, host: str) -> Pieces[Any, Any]:
        found = self._pieces([[item]], lambda: self._posts.take_alone(self._ends, host))
        if isinstance(found, _Lost):
            return [([item], Ended(f"the loss of its worker {found.post.address}"))]
        return found[0]

    def _ends(self) -> bool:
        return self._over.done()

    def _pieces(
        self, groups: Sequence[Sequence[Any]], take: Callable[[], _Post]
    ) -> list[Pieces[Any, Any]] | _Lost:
        while True:
            post = take()
            made = self._tried(post, groups)
            if isinstance(made, _Lost):
                if self._posts.was_ended(post.address):
                    continue
                return made
            if _unstarted(made) is not None:
                continue
            if made.error is not None:
                raise made.error
            if made.pieces is not None:
                return [list(_parts(*one)) for one in zip(groups, made.pieces, strict=True)]
            # Another process is at its address, and has not even looked at the groups.
            self._posts.lose(post.address)

    def _tried(self, post: _Post, groups: Sequence[Sequence[Any]]) -> dask_work.Made | _Lost:
        made: dask_work.Made | _Lost | None = None
        try:
            made = self._made(post, groups)
            return made
        finally:
            self._posts.give_back(post, _unstarted(made))

    def _made(self, post: _Post, groups: Sequence[Sequence[Any]]) -> dask_work.Made | _Lost:
        packed = dask_work.packed_call(
            dask_work.perform, post.process, self._name, self._function, _packed(groups)
        )
        work = self._submitted(post, packed)
        del packed  # it was sent
        is_here = False
        try:
            made = self._awaited(post, work)
            is_here = not isinstance(made, _Lost)
            return made
        finally:
            # Be it done or not: the scheduler keeps nothing of it.
            if is_here:
                self._link.let_go(work)
            else:
                self._link.cancel(work)

    def _submitted(self, post: _Post, packed: bytes) -> Any:
        with self._changes:
            self._asked.add(post.address)
        try:
            return self._link.client.submit(
                pickle.loads,
                packed,
                key=f"plimsoll-{uuid.uuid4().hex}",
                workers=[post.address],
                allow_other_workers=False,
                pure=False,
                retries=0,
            )
        except Exception as error:
            if self._link.is_open:
                raise
            raise self._link.lost() from error

    def _awaited(self, post: _Post, work: Any) -> dask_work.Made | _Lost:
        with self._changes:
            self._works.append(work)
            is_over = self._ends()
        if is_over:
            self._link.cancel(work)
        try:
            with self._posts.at_work(post, work):
                return self._gathered(post, work)
        except Exception as error:
            self._explain(error)
            raise
        finally:
            with self._changes:
                self._works.remove(work)

    def _gathered(self, post: _Post, work: Any) -> dask_work.Made | _Lost:
        wait = self._link.begin(self._link.client.gather(work, asynchronous=True))
        while wait not in _first_done(wait, self._over, CLUSTER_LOOK_S):
            # What is told of losses by itself may have been told before anybody listened. Dask waits for several works at once, so
            # that wait is left and not cancelled: it ends when the scheduler has forgotten the work.
            if self._ends():
                raise Interrupted
            if post.address not in self._link.threads():
                return self._lost(post)
        try:
            return wait.result()
        except Exception as error:
            if self._posts.is_gone(post.address) or type(error).__name__ == "KilledWorker":
                return self._lost(post)
            raise

    def _lost(self, post: _Post) -> _Lost:
        """Once it was said who ended it, or nothing is said."""
        self._posts.await_loss(post.address, CLUSTER_TOLD_S, self._ends)
        self._posts.lose(post.address)
        self._posts.await_owner(post.address, CLUSTER_FAREWELL_S, self._ends)
        return _Lost(post)

    def _explain(self, error: Exception) -> None:
        """Raises what is behind an error of Dask's own, where that is known."""
        if self._ends():
            raise Interrupted from None
        if isinstance(error, concurrent.futures.CancelledError | OSError):
            raise self._link.lost() from error


def _first_done(one: Any, other: Any, seconds: float) -> set[Any]:
    """What of both was done when the first was, or after so long."""
    return concurrent.futures.wait([one, other], seconds, return_when=concurrent.futures.FIRST_COMPLETED).done


def _unstarted(made: dask_work.Made | _Lost | None) -> WorldError | None:
    """Why the worker could not start what reads, if so."""
    error = made.error if isinstance(made, dask_work.Made) else None
    return error if isinstance(error, WorldError) and error.id == "worker-unstarted" else None


def _packed(groups: Sequence[Sequence[Any]]) -> tuple[dask_work.PackedGroup, ...]:
    return tuple(dask_work.PackedGroup(len(group), dask_work.packed_items(group)) for group in groups)


def _size(pieces: Pieces[Any, Any]) -> int | None:
    """In bytes, of the results of a group; None where they do not say it."""
    sizes = [content_bytes(result) for _, result in pieces]
    return None if None in sizes else sum(one for one in sizes if one is not None)


def _parts(
    group: Sequence[Item], found: Sequence[tuple[int, Result | Ended]]
) -> Iterator[tuple[Sequence[Item], Result | Ended]]:
    """With the items themselves, which did not come back."""
    begin = 0
    for length, result in found:
        yield group[begin : begin + length], result
        begin += length


@contextmanager
def cluster_executor(
    address: Address, without_tls: bool = False, cancel: Cancel | None = None
) -> Iterator[ClusterExecutor]:
    """Raises what `connected` and `identities` raise, and WorldError `cluster-no-workers`."""
    with connected(address, without_tls, cancel) as link:
        executor = ClusterExecutor(link)
        link.keep_on()
        yield executor
