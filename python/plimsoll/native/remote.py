"""Files of NFS servers before and after a run. Refusals are `CoreError`; `native.errors` makes ours of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll import _core

if TYPE_CHECKING:
    # Types of the stub alone: the compiled module has no such names.
    from plimsoll._core import _Permit as Permit
    from plimsoll._core import _RemoteFindings

    RemoteFindings = _RemoteFindings
    """What a server tells of a file or folder."""


def inspect(url: str, samples: int) -> RemoteFindings:
    """What the server tells of a file or folder, and what so many blocks of a file hold. Raises CoreError."""
    return _core.inspect_remote(url, samples)


def fits(depth: int, block_bytes: int, read_bytes_max: int, write_bytes_max: int) -> bool:
    """Whether so many I/Os of that size can be told apart, with a server that takes so much in one READ and in one WRITE."""
    return _core.fits_remote(depth, block_bytes, read_bytes_max, write_bytes_max)


def check(engine: str, url: str, stable: str, writes: bool) -> None:
    """That the engine takes that file of a server, to be written so durably or to be read. Raises CoreError."""
    _core.check_remote(engine, url, stable, writes)


def create(url: str) -> tuple[int, int]:
    """Makes a file that was not there before; the numbers of its file system and of the file. Raises CoreError."""
    return _core.create_remote(url)


def names(folder: str, beginning: str) -> list[str]:
    """Names in a folder that begin like that. Raises CoreError."""
    return _core.list_remote(folder, beginning)


def remove(url: str, permit: Permit) -> str | None:
    """Removes the very file that the permit names; None, or what is so instead, in words that follow its name. Raises CoreError."""
    return _core.remove_remote(url, permit)
