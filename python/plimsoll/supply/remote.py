"""Files of NFS servers as targets: `nfs://HOST/EXPORT/FILE` is read, and in `nfs://HOST/EXPORT/FOLDER` a scratch file is made.

A file that was there before is never written to: NFS 3 keeps no extended attributes, so that no file could carry a mark that says
whose it is.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plimsoll.base.errors import PlimsollError, SafetyError, UsageError
from plimsoll.base.limits import DEFAULT_SCRATCH_BYTES, NEW_FILE_BYTES_MIN, PATH_TIMEOUT_S, TARGET_BYTES_MIN
from plimsoll.base.units import format_bytes
from plimsoll.context import Context
from plimsoll.facts import Contents, Note, Target
from plimsoll.host import safety
from plimsoll.native import remote
from plimsoll.native.errors import engine_errors
from plimsoll.ports import claims
from plimsoll.requests.shared import REMOTE
from plimsoll.supply import remote_leftovers
from plimsoll.supply.fill import fill
from plimsoll.supply.room import check_room

if TYPE_CHECKING:
    from plimsoll.native.remote import RemoteFindings

_SAMPLES = 256
_SERVERS_MEMORY = Note(
    code="server-cache",
    message="what the NFS server keeps in its memory it answers from there: direct I/O means nothing over the wire; a span of"
    " several times its memory reaches its disks",
)


def is_remote(name: str) -> bool:
    """Whether the words name a file or folder of a server."""
    return name.startswith(REMOTE)


def check_name(name: str) -> None:
    """Raises UsageError `nfs-url` for what was meant to be such a name, and would be taken for a file of this host."""
    if name.lower().startswith("nfs:") and not is_remote(name):
        place = name[4:].lstrip("/") or "HOST/EXPORT/FILE"
        raise UsageError(
            "nfs-url", f"cannot read {name}: it does not begin with {REMOTE}", f"Write {REMOTE}{place}."
        )


def refuse(what: str, *names: str | None) -> None:
    """For a command or option that measures this host's files alone. Raises UsageError `nfs-unfit`, before anything is opened."""
    for name in names:
        if name is not None and is_remote(name):
            raise UsageError(
                "nfs-unfit",
                f"{what} does not take a file or folder of an NFS server, as {name} is",
                "Measure it with plimsoll io or plimsoll line, or mount it and name the folder here.",
            )


def check_options(prefill: bool, destroy: bool, while_in_use: bool, direct: bool, merge: bool) -> None:
    """Raises UsageError `option-idle` for what means nothing there."""
    given = (
        ("--prefill", prefill), ("--destroy", destroy), ("--while-in-use", while_in_use), ("--no-direct", not direct),
        ("--merge", merge),
    )  # fmt: skip
    idle = [name for name, value in given if value]
    if idle:
        message = f"{' and '.join(idle)} would have no effect on a file of an NFS server"
        raise UsageError("option-idle", message, "Leave it out.")


def check_stable(stable: str, writes: bool) -> None:
    """Raises UsageError `option-idle` where a durability is asked for and nothing is written."""
    if stable != "file" and not writes:
        message = f"--stable {stable} would have no effect on a workload that only reads"
        raise UsageError(
            "option-idle",
            message,
            "Leave it out, or measure one that writes: --rw randwrite, randrw or write.",
        )


def check_engine(engine: str, name: str, stable: str, writes: bool) -> None:
    """That the engine takes that file. Raises UsageError `nfs-unfit`, `nfs-url`, WorldError `nfs-version`."""
    with engine_errors():
        remote.check(engine, name, stable, writes)


@dataclass(frozen=True)
class Load:
    """What is to be done to a file, as far as a server may refuse it. `depth` is of one job."""

    writes: bool
    depth: int = 1
    block_bytes: int = 512
    path_timeout_s: float = PATH_TIMEOUT_S
    """How long a path may be silent while a scratch file is filled too."""
    seeks_leftovers: bool = True
    """Whether scratch files of earlier runs are named where one is made."""


def _check_depth(name: str, found: RemoteFindings, load: Load) -> None:
    reads, writes = found["read_bytes_max"], found["write_bytes_max"]
    if not remote.fits(load.depth, load.block_bytes, reads, writes):
        raise UsageError(
            "nfs-too-deep",
            f"{load.depth:,} I/Os of {format_bytes(load.block_bytes)} are too many requests at once for {name}, which takes"
            f" {format_bytes(reads)} in one READ and {format_bytes(writes)} in one WRITE",
            "Use a smaller --depth or --block.",
        )


@contextmanager
def opened(
    ctx: Context, name: str, bytes_wanted: int | None, load: Load
) -> Iterator[tuple[Target, safety.WritePermit | None]]:
    """The file, or a scratch file in the folder, which is removed at the end.

    Raises SafetyError `foreign-file-refused`, UsageError `target-too-small`, `nfs-too-deep`, WorldError `disk-full`,
    and as the server refuses.
    """
    with engine_errors():
        found = remote.inspect(name, _SAMPLES)
    _check_depth(name, found, load)
    if found["folder"]:
        with _scratch_file(ctx, name, found["free_bytes"], bytes_wanted, load) as made:
            yield made
        return
    if load.writes:
        raise SafetyError(
            "foreign-file-refused",
            f"{name} is not written to, because nothing on an NFS server shows whose a file is",
            "Measure it with a workload that reads, or name its folder: a scratch file is made in it and removed.",
        )
    yield _describe(name, name, found, _span(name, found["size_bytes"], bytes_wanted), ours=False), None


def _span(name: str, size: int, bytes_wanted: int | None) -> int:
    if bytes_wanted is not None and bytes_wanted > size:
        raise UsageError(
            "target-too-small",
            f"{name} holds {format_bytes(size)}, but --size asks for {format_bytes(bytes_wanted)}",
            "Ask for less, or name its folder: a scratch file of that size is made in it.",
        )
    span = bytes_wanted or size
    if span < TARGET_BYTES_MIN:
        raise UsageError(
            "target-too-small",
            f"{name} offers {format_bytes(span)}; at least {format_bytes(TARGET_BYTES_MIN)} are needed",
            "A small target fits into caches on the way. Name a larger one, or a folder for a scratch file.",
        )
    return span


@contextmanager
def _scratch_file(
    ctx: Context, folder: str, free_bytes: int | None, bytes_wanted: int | None, load: Load
) -> Iterator[tuple[Target, safety.WritePermit | None]]:
    size = bytes_wanted or DEFAULT_SCRATCH_BYTES
    if size < NEW_FILE_BYTES_MIN:
        raise UsageError(
            "target-too-small",
            f"a file of {format_bytes(size)} was asked for; at least {format_bytes(NEW_FILE_BYTES_MIN)} are needed",
            "Ask for more with --size, such as 1g.",
        )
    check_room(folder, free_bytes, size)
    if load.seeks_leftovers:
        remote_leftovers.tell(ctx, folder)
    name = f"{remote_leftovers.BEGINNING}{secrets.token_hex(8)}.dat"
    url = _in_folder(folder, name)
    with claims.claimed(name):
        permit = safety.permit_new_remote(url)
        try:
            fill(ctx, url, size, permit, path_timeout_s=load.path_timeout_s)
            with engine_errors():
                found = remote.inspect(url, _SAMPLES)
            yield _describe(folder, url, found, size, ours=True), permit
        finally:
            _remove(ctx, url, permit)


def paths_of(name: str) -> tuple[str, ...]:
    """The addresses over which a file of a server is to be reached, where they are named."""
    return tuple(filter(None, _options(name)[1].get("paths", "").split(",")))


def _options(name: str) -> tuple[str, dict[str, str]]:
    place, _, query = name.partition("?")
    pairs = (option.partition("=") for option in query.split("&") if option)
    return place, {key: value for key, _, value in pairs}


def over_each_path(target: Target) -> tuple[Target, ...]:
    """The same file once for each address of its name, reached over that one alone and named by it; none where it has but one."""
    place, given = _options(target.path)
    own = given.pop("local", "").split(",")
    paths = paths_of(target.path)
    if len(paths) < 2:
        return ()
    found = []
    for at, address in enumerate(paths):
        options = given | {"paths": address} | ({"local": own[at]} if len(own) == len(paths) else {})
        url = f"{place}?{'&'.join(f'{key}={value}' for key, value in options.items())}"
        found.append(target.model_copy(update={"name": address, "path": url}))
    return tuple(found)


def _in_folder(folder: str, name: str) -> str:
    place, mark, options = folder.partition("?")
    return f"{place.rstrip('/')}/{name}{mark}{options}"


def _remove(ctx: Context, url: str, permit: safety.WritePermit) -> None:
    """Takes the scratch file away; where the server does not answer any more, its name is told, for somebody else to do it.

    What is not there, or is another one under its name, was taken away by somebody else, and may have been measured no more.
    """
    try:
        with engine_errors():
            instead = remote.remove(url, permit)
    except PlimsollError as error:
        instead = f"could not be removed, and may be left there: {error.message}"
    if instead is not None:
        ctx.remark("scratch", f"{url} {instead}", warning=True)


def _describe(name: str, url: str, found: Mapping[str, Any], span: int, ours: bool) -> Target:
    return Target(
        name=name,
        kind="remote",
        path=url,
        span_bytes=span,
        ours=ours,
        contents=Contents(
            size_bytes=found["size_bytes"],
            samples=found["samples"],
            zero_samples=found["zero_samples"],
            duplicate_samples=found["duplicate_samples"],
            method="none",
        ),
        notes=(_SERVERS_MEMORY,),
    )
