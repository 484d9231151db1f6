"""What the kernel's NFS client counts of each mount, whoever was at work: /proc/self/mountstats.

Source: the kernel's fs/nfs/super.c (nfs_show_stats), net/sunrpc/stats.c (rpc_clnt_show_stats) and net/sunrpc/xprtsock.c
(xs_tcp_print_stats), statvers 1.0 and 1.1. Of a mount with several connections (nconnect) each has a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from plimsoll.host import filesystems
from plimsoll.ports import files

_MOUNT = re.compile(r"^device (?P<source>\S+) mounted on (?P<place>\S+) with fstype nfs", re.ASCII)
_OCTAL = re.compile(r"\\([0-7]{3})")
_BYTES = 6
"""Read and written through the page cache, directly, and by requests to the server; pages follow."""
_TCP_FIELDS = 13
"""Of a connection over TCP, behind the word itself; another transport has others."""
_SENDS_AT, _WAITING_AT = 5, 11
_READS = ("READ:", "READ_PLUS:")
"""Since version 4.2 a client may ask with either."""
_OPERATION = 3
"""Operations, transmissions and time-outs come first of what is told of one."""


@dataclass(frozen=True)
class MountCounts:
    """Since it was mounted."""

    source: str
    place: str
    read_bytes: int | None = None
    """By requests to the server; None where the line is missing."""
    write_bytes: int | None = None
    reads: int = 0
    """READs, each of at most rsize bytes."""
    writes: int = 0
    transmissions: int = 0
    """Requests of both kinds as they were sent, those too that were sent again."""
    connections: int = 0
    """Over TCP."""
    sends: int = 0
    waiting: int = 0
    """Grows with each request that is sent by how many others wait to be sent on its connection."""


def mounts_counted(text: str) -> Iterator[MountCounts]:
    """Every mount of NFS in a text of mountstats; what cannot be read of one is left out."""
    head, told = None, list[list[str]]()
    for line in [*text.splitlines(), "device"]:
        if not line.startswith("device"):
            told.append(line.split())
            continue
        if head is not None:
            yield _counted(_written(head["source"]), _written(head["place"]), told)
        head, told = _MOUNT.match(line), []


def counts_at(path: Path, proc: Path = Path("/proc")) -> MountCounts | None:
    """Of the mount that a path lies on; None where that is no NFS mount of this host's kernel."""
    found = filesystems.file_system(path)
    if found is None or not found.kind.startswith("nfs"):
        return None
    text = files.read_text(proc / "self" / "mountstats") or ""
    here = [one for one in mounts_counted(text) if one.place == found.mount_point]
    return here[-1] if here else None


def _counted(source: str, place: str, told: list[list[str]]) -> MountCounts:
    amount = dict[str, list[int]]()
    connections = list[list[int]]()
    for words in told:
        numbers = [int(word) for word in words[1:] if word.lstrip("-").isdecimal()]
        if words[:1] == ["xprt:"] and words[1:2] == ["tcp"] and len(numbers) == len(words) - 2 >= _TCP_FIELDS:
            connections.append(numbers)
        elif words and len(numbers) == len(words) - 1:
            amount[words[0]] = numbers
    moved = amount.get("bytes:", [])
    reads = [sum(each) for each in zip(*(_operation(amount, name) for name in _READS), strict=True)]
    writes = _operation(amount, "WRITE:")
    known = len(moved) >= _BYTES
    return MountCounts(
        source=source,
        place=place,
        read_bytes=moved[_BYTES - 2] if known else None,
        write_bytes=moved[_BYTES - 1] if known else None,
        reads=reads[0],
        writes=writes[0],
        transmissions=reads[1] + writes[1],
        connections=len(connections),
        sends=sum(one[_SENDS_AT] for one in connections),
        waiting=sum(one[_WAITING_AT] for one in connections),
    )


def _operation(amount: dict[str, list[int]], name: str) -> list[int]:
    numbers = amount.get(name, [])
    return numbers[:_OPERATION] if len(numbers) >= _OPERATION else [0] * _OPERATION


def _written(place: str) -> str:
    """A space and its like stand as octal numbers."""
    return _OCTAL.sub(lambda found: chr(int(found[1], 8)), place)
