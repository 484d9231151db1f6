"""What goes between a process and those that work for it: pickled values, each with its length before it.

Both ends are this very version of Plimsoll, started by one user, on pipes that nobody else has.
"""

from __future__ import annotations

import struct
from typing import IO, Any, Protocol, cast

_LENGTH = struct.Struct("<Q")


class _Readable(Protocol):
    """What pipes are, with or without a buffer."""

    def readinto(self, buffer: Any, /) -> int | None: ...


READY = True
"""What each says first."""


def send(stream: IO[bytes], value: Any) -> None:
    """Raises OSError when the other end is gone, and what `pickle` raises before anything is sent."""
    content = _content(value)
    _write(stream, _LENGTH.pack(len(content)))
    _write(stream, content)
    stream.flush()


def _content(value: Any) -> bytes:
    import pickle  # only where there is another process

    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def expect_ready(stream: IO[bytes]) -> None:
    """Waits until the other end says that it is there. Raises EOFError where it does not, or anything else comes."""
    content = _content(READY)
    expected = _LENGTH.pack(len(content)) + content
    if _read(stream, len(expected)) != expected:
        raise EOFError("the other end is no process of ours")


def receive(stream: IO[bytes]) -> bytearray:
    """The next value, pickled. Raises EOFError when there is none, or not all of it."""
    (length,) = _LENGTH.unpack(_read(stream, _LENGTH.size))
    return _read(stream, length)


def _write(stream: IO[bytes], content: bytes) -> None:
    """All of it, also where the stream has no buffer and takes only some at a time."""
    left = memoryview(content)
    while left:
        left = left[stream.write(left) :]


def _read(stream: IO[bytes], length: int) -> bytearray:
    content = bytearray(length)
    left = memoryview(content)
    while left:
        count = cast(_Readable, stream).readinto(left)
        if not count:
            raise EOFError("the other end is gone")
        left = left[count:]
    return content
