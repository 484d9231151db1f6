"""Who reaches a scheduler and its workers, by what they say of themselves."""

from __future__ import annotations

import os
import socket
from typing import Any

import pytest

from plimsoll.base.errors import SafetyError, UsageError, WorldError
from plimsoll.cluster import dask_address, dask_client, dask_port
from plimsoll.cluster.dask_address import address_of, refuse_open, refuse_open_parts, refuse_others_port

HERE = address_of("tcp://127.0.0.1:8786")


@pytest.mark.parametrize(
    ("scheduler", "worker", "named"),
    [
        ("tcp://192.0.2.5:8786", "tcp://127.0.0.1:4001", "the scheduler of tcp://127.0.0.1:8786 is at tcp://192"),
        ("tcp://127.0.0.1:8786", "tcp://192.0.2.7:4001", "a worker of tcp://127.0.0.1:8786 is at tcp://192.0.2.7"),
        ("tls://192.0.2.5:8786", "tcp://192.0.2.7:4001", "a worker of tcp://127.0.0.1:8786 is at tcp://192.0.2.7"),
        ("tls://192.0.2.5:8786", "inproc://", "a worker of tcp://127.0.0.1:8786 is at inproc://"),
    ],
)  # fmt: skip
def test_what_others_reach_is_refused(scheduler: str, worker: str, named: str) -> None:
    with pytest.raises(SafetyError) as caught:
        refuse_open_parts(HERE, scheduler, [worker], without_tls=False)
    assert caught.value.id == "cluster-without-tls"
    assert caught.value.message.startswith(named)
    refuse_open_parts(HERE, scheduler, [worker], without_tls=True)


@pytest.mark.parametrize("scheduler", ["tcp://127.0.0.1:8786", "tcp://[::1]:8786", "tls://192.0.2.5:8786"])
def test_loopback_and_certificates_will_do(scheduler: str) -> None:
    refuse_open_parts(HERE, scheduler, ["tcp://127.0.0.1:1", "tls://192.0.2.7:1"], without_tls=False)


def test_what_is_connected_to_is_what_was_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that leads elsewhere each time it is looked up."""

    class Reached:
        def __enter__(self) -> Reached:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def getpeername(self) -> tuple[str, int]:
            return "192.0.2.9", 8786

    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("it was used")

    monkeypatch.setattr(socket, "create_connection", lambda *_: Reached())
    named = address_of("tcp://localhost:8786")
    assert str(dask_client._reached(named)) == "tcp://192.0.2.9:8786"
    with pytest.raises(SafetyError) as caught:
        dask_client._client(never, named, without_tls=False)
    assert caught.value.message.startswith("tcp://192.0.2.9:8786 has no TLS")
    assert dask_client._reached(address_of("tls://db-1:80")) == address_of("tls://db-1:80")


TABLE = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2252 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 66150 1 0 100 0 0 10 0
   1: 0100007F:2252 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1001        0 66151 1 0 20 4 30 10 -1
   2: 0100007F:0035 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1002        0 66152 1 0 100 0 0 10 0
"""


def test_who_listens_at_a_port_is_read_of_the_kernel() -> None:
    assert dask_port._owners(TABLE, 8786) == [1000]
    assert dask_port._owners("", 8786) == []
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert dask_port.owners_of(server.getsockname()[1]) == {os.geteuid()}


def test_root_uses_no_port_of_another_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_address, "owners_of", lambda port: frozenset({0, 1000}))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(SafetyError) as caught:
        refuse_others_port(HERE, without_tls=False)
    assert caught.value.message == (
        "what listens at tcp://127.0.0.1:8786 belongs to user 1000, who could run programs as root by it"
    )
    refuse_others_port(HERE, without_tls=True)
    refuse_others_port(address_of("tls://127.0.0.1:8786"), without_tls=False)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    refuse_others_port(HERE, without_tls=False)


@pytest.mark.parametrize(
    ("text", "wrong", "example"),
    [
        ("", "it does not begin with tcp:// or tls://", "tls://10.0.0.5:8786"),
        ("127.0.0.1:8787", "it does not begin with tcp:// or tls://", "tcp://127.0.0.1:8787"),
        ("localhost:1", "it does not begin with tcp:// or tls://", "tcp://localhost:1"),
        ("db-1", "it does not begin with tcp:// or tls://", "tls://db-1:8786"),
        ("http://127.0.0.1:80", "http:// is neither tcp:// nor tls://", "tcp://127.0.0.1:80"),
        ("ucx://db-1:80", "ucx:// is neither tcp:// nor tls://", "tls://db-1:80"),
        ("tcp://127.0.0.1", "it has no port", "tcp://127.0.0.1:8786"),
        ("tcp://[::1]", "it has no port", "tcp://[::1]:8786"),
        ("tcp://:8786", "it has no host", "tls://10.0.0.5:8786"),
        ("tcp://a:0", "port 0 is none to connect to", "tls://a:8786"),
        ("tcp://a:99999", "a port is at most 65535", "tls://10.0.0.5:8786"),
        ("tcp://a:x", "its port is no number", "tls://10.0.0.5:8786"),
        ("tcp://[a:1", "it has no host and port", "tls://10.0.0.5:8786"),
        ("tcp://a:1/x", "it goes on behind the port", "tls://a:1"),
        ("tcp://me@a:1", "a user has no place in it", "tls://a:1"),
        ("tcp://a..b:8786", "no host can have that name", "tls://10.0.0.5:8786"),
        (f"tcp://{'a' * 64}.example:8786", "no host can have that name", "tls://10.0.0.5:8786"),
    ],
)
def test_what_is_wrong_with_an_address_is_said(text: str, wrong: str, example: str) -> None:
    with pytest.raises(UsageError) as caught:
        address_of(text)
    assert (caught.value.id, caught.value.status) == ("cluster-address", 2)
    assert caught.value.message == f"'{text}' is no address of a Dask scheduler: {wrong}"
    assert caught.value.hint == f"Write it as the scheduler prints it, such as --cluster {example}."


def test_a_name_that_leads_nowhere_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not as one that others reach."""

    def nowhere(*_: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    with pytest.raises(WorldError) as caught:
        refuse_open(address_of("tcp://db-9:8786"), without_tls=False)
    assert caught.value.id == "cluster-unreachable"
    assert caught.value.message == (
        "could not reach a Dask scheduler at tcp://db-9:8786: name or service not known"
    )
