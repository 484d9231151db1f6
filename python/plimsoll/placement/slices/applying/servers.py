"""Processes of database servers that belong into a slice and are outside of it, as those that a listener of Oracle started."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from plimsoll.facts import HostSlice, SliceWrong
from plimsoll.host.database_servers import PROC, DatabaseServer, database_servers, family_of
from plimsoll.ports import files, processes

_OUTSIDE, _OTHER = "slice-server-outside", "slice-server-other"
_NAMED_MAX = 3
Look = Callable[[], Mapping[str, frozenset[int]]]
"""The processes of each slice by its name, as they are now."""


def outside(slices: Sequence[HostSlice], look: Look, proc: Path = PROC) -> Iterator[SliceWrong]:
    """A server is a slice's where most of it is in it, or the account says so.

    Servers start processes all the time: who is in the slices is looked up after them, and who is alive after that, so that
    whoever is then told as outside was there, and in none.
    """
    for server in database_servers(proc):
        family = family_of(server, proc)
        inside = look()
        alive = frozenset(one for one in family if _is_alive(one, proc))
        if alive:
            yield from _of_server(slices, server, alive, inside, proc)
        elif _is_alive(server.process, proc):
            message = f"which processes {server.words} has is not told, nor whether they are in a slice"
            yield SliceWrong(code=_OUTSIDE, severity="doubt", message=message)


def _of_server(
    slices: Sequence[HostSlice],
    server: DatabaseServer,
    family: frozenset[int],
    inside: Mapping[str, frozenset[int]],
    proc: Path,
) -> Iterator[SliceWrong]:
    aside = frozenset[int]().union(*(inside[one.name] for one in slices if one.purpose != "database"))
    rest = family - aside
    home = max(
        (one for one in slices if one.purpose == "database" and inside[one.name] & rest),
        key=lambda one: len(inside[one.name] & rest),
        default=None,
    )
    if home is None:
        if rest and not server.is_ours:
            yield from _homeless(slices, server, sorted(rest), proc)
        return
    missing = sorted(rest - inside[home.name])
    if missing:
        yield _told(home, server, f"{len(missing)} of its processes", missing, proc)
    why = None if server.is_ours else _why_elsewhere(slices, home, server, proc)
    if why is not None:
        message = f"{server.words} is in it, {why}"
        yield SliceWrong(code=_OTHER, severity="wrong", slice=home.name, message=message)


def _why_elsewhere(
    slices: Sequence[HostSlice], home: HostSlice, server: DatabaseServer, proc: Path
) -> str | None:
    """None: nothing tells that the slice is not its own."""
    if home.database not in (server.kind, None):
        return f"which is planned for {home.database}"
    meant = _by_account([one for one in slices if one.purpose == "database"], server, proc)
    if meant is None or meant is home:
        return None
    return f"and works as {meant.account}, which is the account of {meant.name}"


def _by_account(slices: Sequence[HostSlice], server: DatabaseServer, proc: Path) -> HostSlice | None:
    """The one slice that has its account; None: none has, or several."""
    owner = processes.owner(server.process, proc)
    meant = [one for one in slices if one.account is not None and one.account == owner]
    return meant[0] if len(meant) == 1 else None


def _is_alive(number: int, proc: Path) -> bool:
    """One that has ended and was not yet asked for is in no group (proc_pid_stat(5))."""
    fields = (files.read_text(proc / str(number) / "stat") or "").rpartition(")")[2].split()
    return bool(fields) and fields[0] not in "ZX"


def services_outside(slices: Sequence[HostSlice], look: Look) -> Iterator[SliceWrong]:
    """Services of systemd whose main process is not in their slice, as until they are restarted."""
    for one in slices:
        process = None if one.service is None else main_process(one.service)
        if process is not None and process not in look()[one.name] and _is_alive(process, PROC):
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
    meant = _by_account(alike, server, proc)
    if meant is not None:
        yield _told(meant, server, "it", family, proc)
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
