"""What is said of what answers at a port, by servers that are no scheduler, or hang."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from plimsoll.base.errors import WorldError
from plimsoll.cluster import dask_greeting
from plimsoll.cluster.dask_address import Address
from plimsoll.cluster.dask_greeting import expect_scheduler

WAIT_S = 60.0
GREETING = struct.pack("<Q", 4) + b"dask"


@contextmanager
def server(answer: Callable[[socket.socket], object]) -> Iterator[Address]:
    """One that answers each connection so, and then ends it."""
    with socket.create_server(("127.0.0.1", 0)) as listens:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    taken, _ = listens.accept()
                    with taken, suppress(OSError):
                        answer(taken)

        threading.Thread(target=serve, daemon=True).start()
        yield Address("tcp", "127.0.0.1", listens.getsockname()[1])
        listens.shutdown(socket.SHUT_RDWR)


def refused(address: Address, seconds: float = WAIT_S, context: ssl.SSLContext | None = None) -> WorldError:
    with pytest.raises(WorldError) as caught:
        expect_scheduler(address, seconds, context)
    return caught.value


def strangers() -> ssl.SSLContext:
    """That takes any certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def test_a_scheduler_greets_by_itself() -> None:
    with server(lambda taken: taken.sendall(GREETING)) as address:
        expect_scheduler(address, WAIT_S, None)


def test_a_greeting_may_come_in_parts() -> None:
    def slowly(taken: socket.socket) -> None:
        taken.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(len(GREETING)):
            taken.sendall(GREETING[at : at + 1])

    with server(slowly) as address:
        expect_scheduler(address, WAIT_S, None)


def test_who_never_answers_is_told_after_the_time() -> None:
    """The kernel takes the connection; nobody accepts it."""
    with socket.create_server(("127.0.0.1", 0)) as listens:
        address = Address("tcp", "127.0.0.1", listens.getsockname()[1])
        for context in (None, strangers()):
            error = refused(address, 0.2, context)
            assert (error.id, error.message) == ("cluster-silent", f"{address} did not answer for 0.2 s")


def test_a_server_that_is_asked_first_is_no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked after some of the time, and not at its end."""
    monkeypatch.setattr(dask_greeting, "CLUSTER_GREETING_SHARE", 0.001)

    def web(taken: socket.socket) -> None:
        asked = b""
        while b"\r\n\r\n" not in asked:
            asked += taken.recv(100)
        taken.sendall(b"HTTP/1.0 200 OK\r\n\r\n")

    with server(web) as address:
        error = refused(address)
    assert error.id == "cluster-unreachable"
    assert error.message == f"what answers at {address} is no Dask scheduler: its first bytes are b'HTTP/1.0'"


@pytest.mark.parametrize("words", [b"SSH-2.0-OpenSSH_9.2p1\r\n", b"220 mail\r\n", b"no\r\n", b"\0" * 8])
def test_another_greeting_is_no_schedulers(words: bytes) -> None:
    with server(lambda taken: taken.sendall(words)) as address:
        error = refused(address)
    assert f"is no Dask scheduler: its first bytes are {words[:8]!r}" in error.message


def test_who_ends_the_connection_is_no_scheduler() -> None:
    with server(lambda taken: None) as address:
        assert (
            refused(address).message
            == f"what answers at {address} is no Dask scheduler: it ended the connection"
        )


def test_tls_to_a_scheduler_without_is_told() -> None:
    def greets(taken: socket.socket) -> None:
        taken.sendall(GREETING)
        while taken.recv(1000):
            pass

    with server(greets) as address:
        error = refused(Address("tls", address.host, address.port), context=strangers())
    assert error.id == "cluster-unreachable"
    assert error.message.startswith(f"the Dask scheduler at tls://127.0.0.1:{address.port} speaks no TLS: ")
    assert (error.hint or "").startswith("Write tcp://")
