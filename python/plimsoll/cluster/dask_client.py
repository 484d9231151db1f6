"""A connection to the scheduler of a Dask cluster whose workers are known to be able to do our work.

Whatever is another Dask, Python or Plimsoll there is refused before anything is asked: Dask itself warns at most, and work that
does not unpack at a worker never comes back.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import pickle
import socket
import threading
import warnings
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import Any

from plimsoll import __version__
from plimsoll.base.errors import Interrupted, PlimsollError, UsageError, WorldError, reason_of
from plimsoll.cluster import dask_loading, dask_work
from plimsoll.cluster.dask_address import (
    START_HINT,
    Address,
    refuse_open,
    refuse_open_parts,
    refuse_others_port,
    unreachable,
)
from plimsoll.cluster.dask_begin import begun
from plimsoll.cluster.dask_departures import Departures
from plimsoll.cluster.dask_greeting import GOES_ON, expect_scheduler, silent
from plimsoll.cluster.dask_work import Identity
from plimsoll.cluster.limits import (
    CLUSTER_ANSWER_S,
    CLUSTER_ASKED_S,
    CLUSTER_BEGIN_S,
    CLUSTER_CLOSE_ASKED_S,
    CLUSTER_CLOSE_S,
    CLUSTER_CONNECT_S,
)
from plimsoll.context import Cancel

_SAME = ("dask", "distributed", "msgpack", "cloudpickle")
"""Packages of which all must have the same release."""
_SETTINGS = {
    "distributed.admin.large-graph-warning-threshold": "1 PiB",
    "distributed.client.scheduler-info-interval": "1 h",
}
"""What goes out at once is a group of files, which may be one large archive's: nothing to warn of. Who is there is asked by `Link`
when it is needed, and not every two seconds, which took half of what the client's loop does."""
_TLS_HINT = (
    "Set DASK_DISTRIBUTED__COMM__TLS__CA_FILE, DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT and "
    "DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY, or the same in Dask's own configuration."
)
_WORKER_HINT = "Name its scheduler, whose address the worker was started with."
_LOUD = ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application")
"""All to which Dask gives a handler."""


class Link:
    """To the scheduler, from any thread."""

    def __init__(self, client: Any, address: Address, cancel: Cancel | None = None) -> None:
        self.client = client
        self.address = address
        self.is_silent = False
        """Whether the scheduler was asked something and did not answer."""
        self._asked = cancel
        self._is_begun = False
        self._reached: set[str] = set()
        """Workers with a connection of their own."""
        self._loop: asyncio.AbstractEventLoop = client.loop.asyncio_loop

    def begin(self, work: Coroutine[Any, Any, Any]) -> Any:
        """It goes on in the client's own loop; gives what waits for it, a `concurrent.futures.Future`."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def cancel(self, future: Any) -> None:
        """The scheduler forgets that work, and who waits for it waits no more. Waits for nothing itself, in whatever thread."""
        if not self._loop.is_closed():
            self.begin(self.client.cancel([future], asynchronous=True, force=True))

    def let_go(self, future: Any) -> None:
        """The scheduler forgets work whose result is here: to cancel it would cost it, worker and client half as much once more."""
        future.release()

    def wait(self, work: Callable[[], Coroutine[Any, Any, Any]], seconds: float) -> Any:
        """What comes of it.

        Raises WorldError `cluster-silent`, `cluster-lost` where the scheduler is gone, and Interrupted before `keep_on` was called.
        """

        async def bounded() -> Any:
            return await asyncio.wait_for(work(), seconds)

        try:
            return self._unless_asked(self.begin(bounded()))
        except TimeoutError:
            raise silent(f"{self.address}, or one of its workers,", seconds, self._is_begun) from None
        except OSError as error:
            raise self.lost() from error

    def keep_on(self) -> None:
        """The begin is over: who asks to end now is heeded by who does the work, and what is still to be ended is waited for."""
        self._asked = None
        self._is_begun = True

    def _unless_asked(self, waited: Any) -> Any:
        while not concurrent.futures.wait([waited], CLUSTER_ASKED_S).done:
            if self._asked is not None and self._asked.is_set:
                waited.cancel()
                raise Interrupted
        return waited.result()

    @property
    def is_open(self) -> bool:
        """Whether the scheduler is there, as far as is known."""
        return self.client.status == "running"

    def lost(self) -> WorldError:
        """The scheduler is gone."""
        message = f"the scheduler {self.address} is gone, or cannot be reached any more"
        return WorldError("cluster-lost", message, f"{START_HINT} {GOES_ON}")

    def threads(self) -> dict[str, int]:
        """Of each worker that is there, by its address."""
        return {name: int(one["nthreads"]) for name, one in self.identity()["workers"].items()}

    def identity(self) -> Mapping[str, Any]:
        """What the scheduler says of itself and of each worker."""
        try:
            told: Mapping[str, Any] = self.wait(
                lambda: self.client.scheduler.identity(n_workers=-1), CLUSTER_CONNECT_S
            )
        except WorldError as error:
            self.is_silent = error.id == "cluster-silent"
            raise
        return told

    def heed_losses(self, lost: Callable[[str, bool], None]) -> dict[str, int]:
        """`lost` is called, in the client's own thread, with the address of each worker that goes, and whether its owner ended it.

        Gives the threads of each that is there.
        """
        departures = Departures(lost)
        threads = self.threads()
        for address in threads:
            self.client.subscribe_topic(address, departures.heed(address))
        return threads

    def call(self, address: str, function: Callable[..., Any], *arguments: Any) -> Coroutine[Any, Any, Any]:
        """A call at a worker beside its work: its result, or the error that came of it."""
        return self._called(address, pickle.loads, dask_work.packed_call(function, *arguments))

    def waiting_call(
        self, address: str, function: Callable[..., Coroutine[Any, Any, Any]], *arguments: Any
    ) -> Coroutine[Any, Any, Any]:
        """The same of what waits in the worker's loop, whose other work goes on meanwhile. It has to be known to the worker."""
        # Dask waits for what it is told to be a coroutine function; this one is there without us.
        return self._called(address, asyncio.wait_for, dask_work.made_there(function, *arguments), None)

    def reach(self, address: str, seconds: float) -> bool:
        """Has calls at that worker go to it, and not by the scheduler, where it can be reached from here; whether it can."""

        async def connect() -> None:
            self.client.rpc.reuse(address, await self.client.rpc.connect(address))

        try:
            self.wait(connect, seconds)
        except WorldError:
            return False
        self._reached.add(address)
        return True

    async def _called(self, address: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """What the worker makes of it, or the error that came of it."""
        if address not in self._reached:
            run = self.client.run(
                function, *arguments, workers=[address], on_error="return", asynchronous=True
            )
            return (await run)[address]
        from distributed.core import clean_exception
        from distributed.protocol.pickle import dumps

        try:
            told = await self.client.rpc(address).run(function=dumps(function), args=dumps(arguments))
        except OSError as error:
            return error
        return told["result"] if told["status"] == "OK" else clean_exception(**told)[1]

    def calls(
        self, addresses: list[str], seconds: float, function: Callable[..., Any], *arguments: Any
    ) -> list[Any]:
        """The same at several workers at the same time."""

        async def all_of_them() -> list[Any]:
            return await asyncio.gather(
                *(self.call(address, function, *arguments) for address in addresses), return_exceptions=True
            )

        return self.wait(all_of_them, seconds)


@contextmanager
def connected(address: Address, without_tls: bool = False, cancel: Cancel | None = None) -> Iterator[Link]:
    """A link, closed when the block ends. Until `keep_on` is called, `cancel` ends each wait for who does not answer.

    Raises SafetyError `cluster-without-tls` where others reach scheduler or workers without TLS, and nobody said so.

    Raises WorldError `extra-missing`, `cluster-unreachable`, `cluster-certificates`, `cluster-silent`, `cluster-lost`; UsageError
    `cluster-versions`; Interrupted.
    """
    distributed = dask_loading.distributed()
    with _quiet():
        client = _begun_client(distributed, address, without_tls, cancel)
        close_s = CLUSTER_CLOSE_S
        try:
            link = Link(client, address, cancel)
            _check_tls(link, without_tls)
            _check_dask(link)
            yield link
        except Interrupted:
            close_s = CLUSTER_CLOSE_ASKED_S
            raise
        except WorldError as error:
            close_s = CLUSTER_CLOSE_ASKED_S if error.id == "cluster-silent" else CLUSTER_CLOSE_S
            raise
        finally:
            _close(client, close_s)


def _begun_client(distributed: Any, address: Address, without_tls: bool, cancel: Cancel | None) -> Any:
    """By a thread of its own, as nothing else bounds what Dask waits for, and no signal ends it."""

    def made() -> Any:
        # Also when nobody waits for it any more.
        with _quiet():
            return _client(distributed, address, without_tls)

    try:
        return begun(made, CLUSTER_BEGIN_S, cancel or Cancel(), _close)
    except TimeoutError:
        raise silent(str(address), CLUSTER_BEGIN_S) from None


def _close(client: Any, seconds: float = CLUSTER_CLOSE_S) -> None:
    with suppress(TimeoutError, OSError, RuntimeError):
        client.close(timeout=seconds)


def identities(link: Link, addresses: list[str]) -> dict[str, Identity]:
    """What each worker is, but for those that went meanwhile.

    Raises UsageError `cluster-worker`, `cluster-versions`; WorldError `cluster-silent`.
    """
    found: dict[str, Identity] = {}
    own = dask_work.identity()
    for address, told in zip(
        addresses, link.calls(addresses, CLUSTER_ANSWER_S, dask_work.identity), strict=True
    ):
        if isinstance(told, BaseException):
            if address not in link.threads():
                continue
            raise _unable(address, told)
        if told.version != __version__:
            message = (
                f"the worker {address} on {told.host} has plimsoll {told.version}, and this is {__version__}"
            )
            raise UsageError("cluster-versions", message, "Install the same release on all of them.")
        if told.build != own.build:
            message = f"the worker {address} on {told.host} has another build of plimsoll {told.version}, which may read otherwise"
            raise UsageError("cluster-versions", message, "Install the same files on all of them.")
        found[address] = told
    return found


def _unable(address: str, error: BaseException) -> PlimsollError:
    """Why a worker cannot say what it is."""
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] == "plimsoll":
        if error.name == "plimsoll":
            message = f"the worker {address} has no plimsoll"
        else:
            message = f"the worker {address} has a plimsoll that knows no {error.name}"
    else:
        message = f"the worker {address} cannot load plimsoll: {type(error).__name__}: {error}"
    hint = "Install this release, with its extra `cluster`, into the Python of each worker, and start them again."
    return UsageError("cluster-worker", message, hint)


def _check_tls(link: Link, without_tls: bool) -> None:
    told = link.identity()
    refuse_open_parts(link.address, str(told["address"]), sorted(told["workers"]), without_tls)


def _check_dask(link: Link) -> None:
    """Raises UsageError `cluster-versions` where scheduler or a worker has another Dask or Python than this."""
    from distributed.versions import get_versions

    scheduler, workers = link.wait(lambda: _told_versions(link.client.scheduler), CLUSTER_ANSWER_S)
    own = _versions(get_versions())
    others = {f"the scheduler {link.address}": scheduler}
    others |= {f"the worker {name}": one for name, one in workers.items()}
    for who, versions in others.items():
        theirs = _versions(versions)
        for name, version in own.items():
            if theirs.get(name) != version:
                message = (
                    f"{who} has {name} {theirs.get(name) or 'of no known release'}, and this has {version}"
                )
                raise UsageError(
                    "cluster-versions",
                    message,
                    "Install the same releases on all of them, as from one lock file.",
                )


async def _told_versions(scheduler: Any) -> tuple[Any, Mapping[str, Any]]:
    """By plain messages, which nothing is unpacked of."""
    asked = {"op": "versions", "packages": []}
    return await scheduler.versions(packages=[]), await scheduler.broadcast(msg=asked, on_error="ignore")


def _versions(told: Mapping[str, Any]) -> dict[str, str]:
    """Of Python without its last number, which changes nothing that crosses."""
    packages = told["packages"]
    python = ".".join(str(packages.get("python")).split(".")[:2])
    return {"python": python, **{name: str(packages.get(name)) for name in _SAME}}


def _client(distributed: Any, address: Address, without_tls: bool) -> Any:
    reached = _reached(address)
    # What the name led to is what is looked at, and what is used: the next time it may lead elsewhere.
    refuse_open(reached, without_tls)
    refuse_others_port(reached, without_tls)
    security = distributed.Security()
    if address.is_encrypted and not (security.tls_ca_file and security.tls_client_cert):
        message = f"{address} wants certificates, and Dask's configuration names none for a client"
        raise WorldError("cluster-certificates", message, _TLS_HINT)
    try:
        context = security.get_connection_args("client")["ssl_context"] if address.is_encrypted else None
        expect_scheduler(reached, CLUSTER_CONNECT_S, context)
        with warnings.catch_warnings():
            # Of other releases, which are refused after this.
            warnings.simplefilter("ignore")
            return distributed.Client(
                str(reached),
                timeout=CLUSTER_CONNECT_S,
                set_as_default=False,
                security=security,
                name="plimsoll",
            )
    except PlimsollError:
        raise
    except Exception as error:  # a port of something else answers in any way
        raise _told(address, error) from error


def _told(address: Address, error: Exception) -> WorldError:
    """In our words, where it is known what is behind it."""
    if isinstance(error, FileNotFoundError | PermissionError) and address.is_encrypted:
        message = f"could not read a certificate for {address}: {error}"
        return WorldError("cluster-certificates", message, _TLS_HINT)
    why = _why(error)
    if isinstance(error, TypeError) and "identity() got an unexpected" in why:
        # It is asked how many workers to tell of, and knows of none.
        message = f"what answers at {address} is a worker of Dask, and no scheduler: {why}"
        return WorldError("cluster-unreachable", message, _WORKER_HINT)
    return unreachable(address, why)


def _reached(address: Address) -> Address:
    """Where the name led to, unless certificates say who is there.

    Raises WorldError `cluster-unreachable` where nobody listens; Dask would try again until its time is over."""
    try:
        with socket.create_connection((address.host, address.port), CLUSTER_CONNECT_S) as reached:
            host = str(reached.getpeername()[0])
    except OSError as error:
        raise unreachable(address, reason_of(error)) from error
    return address if address.is_encrypted else replace(address, host=host)


def _why(error: BaseException) -> str:
    """What lies at the bottom: Dask says that it took too long, whatever happened."""
    while error.__cause__ is not None:
        error = error.__cause__
    text = " ".join(str(error).split())
    return f"{text[:1].lower()}{text[1:]}" if text else type(error).__name__


class _Connections:
    """How many there are: what they change for the whole process begins with the first and ends with the last."""

    def __init__(self) -> None:
        self.changes = threading.Lock()
        self.number = 0
        self.until = ExitStack()


_connections = _Connections()


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask's own words go nowhere meanwhile: what they say is told as an error of ours, or was mended."""
    from dask import config

    with _connections.changes:
        if _connections.number == 0:
            _connections.until.enter_context(config.set(_SETTINGS))
            _connections.until.enter_context(_silenced())
        _connections.number += 1
    try:
        yield
    finally:
        with _connections.changes:
            _connections.number -= 1
            if _connections.number == 0:
                _connections.until.close()


@contextmanager
def _silenced() -> Iterator[None]:
    nowhere = logging.NullHandler()
    states = []
    for name in _LOUD:
        logger = logging.getLogger(name)
        states.append((logger, logger.handlers, logger.propagate))
        logger.handlers, logger.propagate = [nowhere], False
    try:
        yield
    finally:
        for logger, handlers, propagates in states:
            logger.handlers, logger.propagate = handlers, propagates
