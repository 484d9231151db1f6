"""Something that speaks PostgreSQL's protocol until somebody is logged in, and then misbehaves in one of a few ways.

source: PostgreSQL manual, "Frontend/Backend Protocol", "Message Formats"
"""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

SECRET = "hunter2-S3cr3t"
WORDS = b"\x1b]0;owned\x07\x1b[2J password=" + SECRET.encode()
"""What a terminal would obey, and what nobody may read there."""
MODES = ("silent", "notices", "rows", "drip", "odd", "bytes", "empty", "refuse", "end")


@contextmanager
def fake_postgres(mode: str) -> Iterator[str]:
    """Its URL. `odd` answers each question with one row of another shape, `bytes` with no UTF-8, `empty` with no columns."""
    assert mode in MODES
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = threading.Thread(target=_serve, args=(listening, mode, ended), daemon=True)
        serving.start()
        yield f"postgresql://me:{SECRET}@127.0.0.1:{listening.getsockname()[1]}/db?sslmode=disable&gssencmode=disable"
        ended.set()
        listening.shutdown(socket.SHUT_RDWR)
    serving.join(5)


def _serve(listening: socket.socket, mode: str, ended: threading.Event) -> None:
    with suppress(OSError):
        while True:
            session, _ = listening.accept()
            threading.Thread(target=_session, args=(session, mode, ended), daemon=True).start()


def _session(session: socket.socket, mode: str, ended: threading.Event) -> None:
    with session, suppress(OSError, EOFError):
        code = _taken(session, struct.unpack("!I", _taken(session, 4))[0] - 4)[:4]
        if code != struct.pack("!I", 196608):
            return  # A request to cancel, most of all.
        login = [_message(b"R", b"\0\0\0\0")]
        for name in ("server_version=18.0", "client_encoding=UTF8", "server_encoding=UTF8", "TimeZone=UTC"):
            login.append(_message(b"S", name.replace("=", "\0").encode() + b"\0"))
        session.sendall(b"".join([*login, _message(b"K", b"\0\0\0\1\0\0\0\1"), _message(b"Z", b"I")]))
        extended = False
        while True:
            kind, length = struct.unpack("!cI", _taken(session, 5))
            text = _taken(session, length - 4)
            if kind == b"X":
                return
            extended = extended or kind == b"P"
            if kind in b"QS":
                _answer(session, mode, ended, b"P" if extended else text)
                extended = False


def _answer(session: socket.socket, mode: str, ended: threading.Event, text: bytes) -> None:
    columns = 0 if mode == "empty" else 2
    described = _message(
        b"T", struct.pack("!H", columns) + b"c\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0" * columns
    )
    if text[:1] == b"P":
        described = _message(b"1", b"") + _message(b"2", b"") + described
    value = {"bytes": b"\x9b\xff", "rows": b"A" * 1000}.get(mode, b"t")
    row = _message(b"D", struct.pack("!H", columns) + (struct.pack("!I", len(value)) + value) * columns)
    match mode:
        case "silent":
            ended.wait()
        case "notices":
            while not ended.is_set():
                session.sendall(_said(b"N", b"WARNING") * 100)
        case "rows":
            session.sendall(described)
            while not ended.is_set():
                session.sendall(row * 10)
        case "drip":
            session.sendall(described)
            while not ended.wait(0.02):
                session.sendall(row)
        case "refuse":
            session.sendall(_said(b"E", b"ERROR") + _message(b"Z", b"T"))
        case "end":
            session.sendall(_said(b"E", b"FATAL"))
            raise EOFError
        case _ if text[:1] == b"P" or text.lstrip().lower().startswith((b"select", b"with", b"--")):
            session.sendall(described + row + _message(b"C", b"SELECT 1\0") + _message(b"Z", b"T"))
        case _:
            state = b"T" if text.lower().startswith(b"begin") else b"I"
            session.sendall(_message(b"C", b"BEGIN\0") + _message(b"Z", state))


def _said(kind: bytes, severity: bytes) -> bytes:
    return _message(kind, b"S" + severity + b"\0V" + severity + b"\0C57P01\0MTerminating " + WORDS + b"\0\0")


def _message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!I", len(body) + 4) + body


def _taken(session: socket.socket, length: int) -> bytes:
    parts = b""
    while len(parts) < length:
        part = session.recv(length - len(parts))
        if not part:
            raise EOFError
        parts += part
    return parts
