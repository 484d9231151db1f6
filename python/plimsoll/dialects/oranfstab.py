"""Reads `oranfstab`, in which Oracle's Direct NFS finds the addresses of file servers: stanzas of `key: value`, begun by `server:`.

Keys as in Oracle's Database Installation Guide, "About the ORANFSTAB File for Direct NFS Client"; what a key may not say is an
error with its line, as Direct NFS would go another way than the one that was measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from plimsoll.base.errors import UsageError
from plimsoll.base.printable import printable

PATHS_MAX = 4
"""Direct NFS takes as many to one server."""
_EXPORT = re.compile(
    r"(?P<export>\S+)\s+mount:\s*(?P<mount>\S+)(\s+security:\s*(?P<security>\S+))?\Z", re.IGNORECASE
)
_PASSED_OVER = ("mnt_timeout", "management", "community")
"""Of mounting by itself and of SNMP, which has no part in reading and writing."""
_KEPT = ("nfs_version", "security_default", "uid", "gid")
_ONE_WORD = ("server", "path", "local", "security", *_KEPT)
_HINT = (
    "See Oracle's installation guide on oranfstab. Known are server:, local:, path:, export: … mount: … (security: …),"
    " nfs_version:, security_default:, uid:, gid:, mnt_timeout:, management:, community: and dontroute."
)


@dataclass(frozen=True)
class Mount:
    """An export of a server, and where it is mounted."""

    export: str
    place: str
    security: str | None = None
    """Of this export alone."""


@dataclass(frozen=True)
class Server:
    """One stanza."""

    name: str
    line: int
    paths: tuple[str, ...] = ()
    locals: tuple[str, ...] = ()
    """Addresses of this host, one for each path, or none."""
    mounts: tuple[Mount, ...] = ()
    values: dict[str, str] = field(default_factory=dict)
    """What else was given, by its key."""


def parse(text: str, name: str) -> tuple[Server, ...]:
    """All stanzas of a file; `name` is for messages. Raises UsageError `oranfstab-unreadable`."""
    servers: list[Server] = []
    for number, line in _lines(text):
        if line.lower() == "dontroute":
            # Whether packets may pass a router does not change what the server gives.
            continue
        key, colon, value = line.partition(":")
        key, value = key.strip().lower(), value.strip()
        if not colon or not value:
            _raise(name, number, f"'{_shown(line)}' is no line of key: value")
        if key in _ONE_WORD and len(value.split()) > 1:
            _raise(name, number, f"'{_shown(line)}' has more than one value")
        if key == "server":
            servers.append(Server(value, number))
        elif not servers:
            _raise(name, number, f"there is no server: before {_shown(key)}:")
        else:
            servers[-1] = _with(servers[-1], key, value, name, number)
    for server in servers:
        _check(server, name)
    if not servers:
        raise UsageError("oranfstab-unreadable", f"{name} names no server", _HINT)
    return tuple(servers)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Without comments, and those that are empty."""
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].strip()
        if words:
            yield number, words


def _with(server: Server, key: str, value: str, name: str, number: int) -> Server:
    if key == "path":
        return replace(server, paths=(*server.paths, value))
    if key == "local":
        return replace(server, locals=(*server.locals, value))
    if key == "export":
        found = _EXPORT.fullmatch(value)
        if found is None:
            _raise(
                name,
                number,
                f"'export: {_shown(value)}' is not EXPORT mount: PLACE, with security: behind it or not",
            )
        mount = Mount(found["export"], found["mount"], _lower(found["security"]))
        return replace(server, mounts=(*server.mounts, mount))
    if key == "security":
        if not server.mounts:
            _raise(name, number, "security: stands before any export:, and is that of the export before it")
        *before, last = server.mounts
        return replace(server, mounts=(*before, replace(last, security=value.lower())))
    if key in _KEPT:
        return replace(server, values={**server.values, key: value.lower()})
    if key not in _PASSED_OVER:
        _raise(name, number, f"nobody knows the key {_shown(key)}:")
    return server


def _check(server: Server, name: str) -> None:
    for what, found in (("path", server.paths), ("local", server.locals)):
        if len(found) > PATHS_MAX:
            _raise(
                name,
                server.line,
                f"server {_shown(server.name)} has {len(found)} lines {what}:, and Direct NFS takes {PATHS_MAX}",
            )
    if server.locals and len(server.locals) != len(server.paths):
        counts = f"{len(server.locals)} lines local: and {len(server.paths)} lines path:"
        _raise(name, server.line, f"server {_shown(server.name)} has {counts}")
    if not server.mounts:
        _raise(name, server.line, f"server {_shown(server.name)} has no export:")


def mount_of(servers: Sequence[Server], path: str) -> tuple[Server, Mount, str] | None:
    """The mount that a path lies in, the innermost of several, and what follows behind it; the first of two that are equal."""
    found = [
        (server, mount, rest)
        for server in servers
        for mount in server.mounts
        if (rest := _below(path, mount.place)) is not None
    ]
    return max(found, key=lambda one: len(one[1].place.rstrip("/")), default=None)


def _below(path: str, place: str) -> str | None:
    root = place.rstrip("/")
    return path[len(root) :] if path == root or path.startswith(f"{root}/") else None


def _lower(word: str | None) -> str | None:
    return None if word is None else word.lower()


def _shown(text: str) -> str:
    return printable(text[:60])


def _raise(name: str, number: int, reason: str) -> NoReturn:
    raise UsageError("oranfstab-unreadable", f"{name}, line {number}: {reason}", _HINT)
