"""Processes of database servers that belong into a slice and are outside of it, as those that a listener of Oracle started."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from plimsoll.facts import HostSlice, SliceWrong
from plimsoll.host.database_servers import PROC, DatabaseServer, database_servers, server_processes
from plimsoll.ports import files, processes

_OUTSIDE = "slice-server-outside"
_NAMED_MAX = 3


def outside(
    slices: Sequence[HostSlice], inside: Mapping[str, frozenset[int]], proc: Path = PROC
) -> Iterator[SliceWrong]:
    """`inside` are the processes of each slice. A server is a slice's where some of it is in it, or the account says so."""
    for server in database_servers(proc):
        family = _family(server, proc)
        home = next((one for one in slices if inside[one.name] & family), None)
        if home is not None:
            missing = sorted(family - inside[home.name])
            if missing:
                yield _told(home, server, f"{len(missing)} of its processes", missing, proc)
        elif not server.is_ours:
            yield from _homeless(slices, server, sorted(family), proc)


def services_outside(
    slices: Sequence[HostSlice], inside: Mapping[str, frozenset[int]]
) -> Iterator[SliceWrong]:
    """Services of systemd whose main process is not in their slice, as until they are restarted."""
    for one in slices:
        process = None if one.service is None else main_process(one.service)
        if process is not None and process not in inside[one.name]:
            message = f"the main process of {one.service} ({process}) is outside of the slice: restart it"
            yield SliceWrong(code=_OUTSIDE, severity="wrong", slice=one.name, message=message)


def main_process(service: str) -> int | None:
    """None where it does not run, or no systemd does."""
    try:
        done = processes.run(["systemctl", "show", "--property=MainPID", "--value", service])
    except (OSError, processes.TimeoutExpired):
        return None
    text = done.stdout.strip()
    return int(text) if done.returncode == 0 and text.isdigit() and text != "0" else None


def _homeless(
    slices: Sequence[HostSlice], server: DatabaseServer, family: Sequence[int], proc: Path
) -> Iterator[SliceWrong]:
    """A server of which nothing is in a slice: sure where the account is that of one slice."""
    alike = [one for one in slices if one.purpose == "database" and one.database in (server.kind, None)]
    owner = processes.owner(server.process, proc)
    meant = [one for one in alike if one.account is not None and one.account == owner]
    if len(meant) == 1:
        yield _told(meant[0], server, "it", family, proc)
    elif any(one.database == server.kind for one in alike):
        message = f"{server.words} is in no slice, and nothing tells whether it belongs into one"
        yield SliceWrong(code=_OUTSIDE, severity="doubt", message=message)


def _told(
    home: HostSlice, server: DatabaseServer, what: str, missing: Sequence[int], proc: Path
) -> SliceWrong:
    names = ", ".join(
        f"{files.read_text(proc / str(one) / 'comm') or 'gone'} ({one})" for one in missing[:_NAMED_MAX]
    )
    more = " and others" if len(missing) > _NAMED_MAX else ""
    message = f"{what} of {server.words} outside of the slice: {names}{more}".replace("it of ", "")
    return SliceWrong(code=_OUTSIDE, severity="wrong", slice=home.name, message=message)


def _family(server: DatabaseServer, proc: Path) -> frozenset[int]:
    if server.kind != "oracle":
        return frozenset(server_processes(server.process, proc))
    instance = server.program.split("_", 2)[2]
    numbers = (int(entry.name) for entry in proc.iterdir() if entry.name.isdigit())
    return frozenset(one for one in numbers if _is_of_oracle(one, instance, proc))


def _is_of_oracle(number: int, instance: str, proc: Path) -> bool:
    """Background processes by their names, and servers of sessions by `oracleSID (LOCAL=NO)`."""
    words = (files.read_text(proc / str(number) / "cmdline") or "").split("\0")[0]
    return words.split(" ")[0] == f"oracle{instance}" or (
        words.startswith("ora_") and words.endswith(f"_{instance}")
    )
