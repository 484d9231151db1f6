"""The file of a server behind a path of this host, over the addresses that Oracle's Direct NFS would take, as `oranfstab` says."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from plimsoll.base.errors import PlimsollError, UsageError, input_error
from plimsoll.dialects.oranfstab import Mount, Server, mount_of, parse
from plimsoll.ports import files
from plimsoll.requests.shared import REMOTE
from plimsoll.supply.remote import is_remote
from plimsoll.supply.simulation import is_simulated

_BYTES_MAX = 1 << 20
"""A thousand servers have some hundred kilobytes."""
_PLAIN = re.compile(r"[\w.-]+")
_SPOKEN = ("nfsv3", "v3", "3")
_UNSECURED = ("sys", "none")


def on_server(target: str, oranfstab: str | None) -> str:
    """The target as `nfs://…` with the addresses of the file, or as it is where none was named.

    Raises UsageError `oranfstab-unreadable`, `oranfstab-no-mount`, `oranfstab-unfit`, and as a file cannot be read.
    """
    if oranfstab is None:
        return target
    if is_simulated(target):
        raise UsageError(
            "option-idle", "--oranfstab would have no effect on a simulated target", "Leave it out."
        )
    try:
        content = files.read_input(Path(oranfstab), _BYTES_MAX)
    except OSError as error:
        raise input_error("oranfstab-unreadable", oranfstab, error) from error
    servers = parse(content.decode("utf-8-sig", errors="replace"), oranfstab)
    return _over(target, servers, oranfstab)


@contextmanager
def hints_for(oranfstab: str | None, url: str) -> Iterator[None]:
    """Where that file named the server, a hint that speaks of options of a target says where these can stand."""
    try:
        yield
    except PlimsollError as error:
        if oranfstab is not None and error.hint is not None and "port=" in error.hint:
            mark = "&" if "?" in url else "?"
            error.hint += f" {oranfstab} has no place for them: in place of --oranfstab name '{url}{mark}port=…&mount_port=…'."
        raise


def _over(target: str, servers: tuple[Server, ...], name: str) -> str:
    if is_remote(target):
        raise UsageError(
            "oranfstab-no-mount",
            f"{target} names its server, and {name} is looked up by the path on this host",
            "Name the file as the database does, below one of the places behind mount:.",
        )
    found = mount_of(servers, os.path.abspath(target))
    if found is None:
        places = ", ".join(mount.place for server in servers for mount in server.mounts)
        raise UsageError(
            "oranfstab-no-mount",
            f"{os.path.abspath(target)} lies below no mount of {name}",
            f"It has {places}.",
        )
    server, mount, rest = found
    url = _url(server, mount, rest)
    _check(server, mount, name, url)
    return url


def _url(server: Server, mount: Mount, rest: str) -> str:
    options = [("paths", ",".join(server.paths)), ("local", ",".join(server.locals))]
    options += [(key, server.values.get(key, "")) for key in ("uid", "gid")]
    query = "&".join(f"{key}={value}" for key, value in options if value)
    place = quote(f"{mount.export.rstrip('/')}{rest}", safe="/")
    return f"{REMOTE}{_host(server)}/{place.lstrip('/')}{'?' if query else ''}{query}"


def _host(server: Server) -> str:
    """As a URL takes it. With addresses of its own the name is only a label, which may be of any letters."""
    if _PLAIN.fullmatch(server.name):
        return server.name
    return f"[{server.paths[0] if server.paths else server.name}]"


def _check(server: Server, mount: Mount, name: str, url: str) -> None:
    """What is measured is what Direct NFS would do, or nothing is."""
    version = server.values.get("nfs_version", _SPOKEN[0])
    security = mount.security or server.values.get("security_default") or _UNSECURED[0]
    unlike = None
    if version not in _SPOKEN:
        unlike = f"nfs_version: {version}, and plimsoll speaks version 3 alone"
    elif security not in _UNSECURED:
        unlike = f"security: {security}, and plimsoll has sys alone"
    if unlike is not None:
        message = f"{name} asks of server {server.name} for {unlike}"
        raise UsageError(
            "oranfstab-unfit", message, f"To measure it all the same, name the file of the server: {url}"
        )
