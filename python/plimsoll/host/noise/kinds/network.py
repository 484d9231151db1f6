"""Noise of the network: bytes sent and received over the loopback interface, by two threads of one process."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress

from plimsoll.host.noise.kinds._kind import Kind, Order, Told

_PIECE_BYTES = 256 << 10
_LOOK_S = 0.05


def _work(order: Order, is_ended: Callable[[], bool], told: Told) -> float:
    with socket.create_server(("127.0.0.1", 0)) as server:
        sender = threading.Thread(target=_send, args=(server.getsockname(), is_ended), daemon=True)
        sender.start()
        server.settimeout(5.0)
        with server.accept()[0] as receiver:
            received = _received(receiver, is_ended, told)
        sender.join()
    return received


def _send(address: tuple[str, int], is_ended: Callable[[], bool]) -> None:
    piece = bytes(_PIECE_BYTES)
    # Whoever receives may be gone first.
    with suppress(ConnectionError), socket.create_connection(address) as sender:
        sender.settimeout(_LOOK_S)
        while not is_ended():
            with suppress(TimeoutError):
                if not sender.send(piece):
                    return


def _received(receiver: socket.socket, is_ended: Callable[[], bool], told: Told) -> float:
    room, received = bytearray(_PIECE_BYTES), 0
    receiver.settimeout(_LOOK_S)
    while not is_ended():
        with suppress(TimeoutError):
            more = receiver.recv_into(room)
            if not more:
                break
            received += more
            told(float(received))
    return float(received)


KIND = Kind(
    help="Bytes sent and received over the loopback interface, in the slice.",
    unit="bytes",
    work=_work,
    each_cpu=False,
)
