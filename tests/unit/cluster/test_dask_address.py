"""Who reaches a scheduler and its workers, by what they say of themselves."""

from __future__ import annotations

import os
import socket
from typing import Any

import pytest

from plimsoll.base.errors import SafetyError
from plimsoll.cluster import dask_address, dask_client, dask_port
from plimsoll.cluster.dask_address import address_of, refuse_open_parts, refuse_others_port

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
