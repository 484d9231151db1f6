"""Whether a device holds anything: its two ends read in full and compared with the table of signatures, the rest byte by byte."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from plimsoll.base.errors import PlimsollError, world_error
from plimsoll.base.limits import DEVICE_ENDS_BYTES, POLL_PERIOD_S
from plimsoll.base.units import format_bytes
from plimsoll.context import Context
from plimsoll.host import signatures
from plimsoll.ports.raw import READ_BYTES_MAX, RawDevice

_ZEROS = bytes(READ_BYTES_MAX)
_STAGE = "safety"


@dataclass(frozen=True)
class Ends:
    """What the first and the last 4 MiB hold. `first_byte` is the place of the first that is not zero, None when all are."""

    signatures: tuple[signatures.Found, ...]
    first_byte: int | None

    @property
    def words(self) -> str | None:
        """What was found and where; None when nothing was."""
        if self.signatures:
            return " and ".join(f"{one.name} (byte {one.offset:,})" for one in self.signatures)
        return None if self.first_byte is None else f"data (byte {self.first_byte:,} is not zero)"


def look_at_ends(device: RawDevice, name: str) -> Ends:
    """Reads both ends. Raises WorldError `target-unreadable`: what cannot be read is not known to be empty."""
    head = _read(device, name, 0, DEVICE_ENDS_BYTES)
    tail_at = max(0, device.size_bytes - DEVICE_ENDS_BYTES)
    tail = _read(device, name, tail_at, DEVICE_ENDS_BYTES)

    def read(offset: int, length: int) -> bytes:
        if offset + length <= len(head):
            return head[offset : offset + length]
        if offset >= tail_at:
            return tail[offset - tail_at : offset - tail_at + length]
        return _read(device, name, offset, length)

    found = tuple(signatures.find(read, device.size_bytes))
    first = _first_byte(head)
    if first is None and (last := _first_byte(tail)) is not None:
        first = tail_at + last
    return Ends(found, first)


def first_byte_between(ctx: Context, device: RawDevice, name: str) -> int | None:
    """The place of the first byte between the ends that is not zero, None when all are; shows how far it is.

    Raises Interrupted, and WorldError `target-unreadable`.
    """
    end = device.size_bytes - DEVICE_ENDS_BYTES
    tell = _teller(ctx, name, device.size_bytes)
    offset = DEVICE_ENDS_BYTES
    while offset < end:
        ctx.cancel.check()
        block = _read(device, name, offset, min(READ_BYTES_MAX, end - offset))
        if block != _ZEROS[: len(block)]:
            return offset + (_first_byte(block) or 0)
        offset += len(block)
        tell(offset)
    tell(device.size_bytes)
    return None


def _teller(ctx: Context, name: str, size_bytes: int) -> Callable[[int], None]:
    message = f"looking whether {name} holds anything in its {format_bytes(size_bytes)}"
    begun_s = ctx.clock.monotonic_s()
    told_s = -inf

    def tell(done: int) -> None:
        nonlocal told_s
        now_s = ctx.clock.monotonic_s()
        if now_s - told_s < POLL_PERIOD_S and done < size_bytes:
            return
        told_s = now_s
        share = done / size_bytes
        left_s = (now_s - begun_s) * (1 - share) / share
        ctx.progress(_STAGE, message, share, left_s, finished=done == size_bytes)

    return tell


def _read(device: RawDevice, name: str, offset: int, length: int) -> bytes:
    """Never less than there is: a device that ends before its end has not been looked at."""
    try:
        block = device.read(offset, length)
        if len(block) < min(length, device.size_bytes - offset):
            raise OSError(errno.EIO, "it ends there")
    except OSError as error:
        raise _unreadable(name, offset, error) from error
    return block


def _unreadable(name: str, offset: int, error: OSError) -> PlimsollError:
    hint = "Nothing was written. Look at the kernel's log (dmesg) for the device."
    return world_error("target-unreadable", f"read {name} at byte {offset:,}", error, hint)


def _first_byte(block: bytes) -> int | None:
    if block == _ZEROS[: len(block)]:
        return None
    return len(block) - len(block.lstrip(b"\0"))
