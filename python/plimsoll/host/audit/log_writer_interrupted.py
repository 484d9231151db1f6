"""A log writer on a CPU that serves interrupts of disks or network cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from plimsoll.host.audit._databases import Database
from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Absent, Idle, Unread
from plimsoll.host.audit._watched import LogWriter, WatchedHost
from plimsoll.host.topology.values import in_short

_BUSY_PER_S = 1_000
"""Interrupts from here on take some thousandths of a CPU's time, and each holds up what runs there for some microseconds."""
_NAMED_MAX = 8
"""Of devices that nothing is known of."""
_KINDS = ("oracle", "postgresql", "mysql")
"""Databases that have a log writer."""
_Busy = Mapping[int, Mapping[int, float]]
"""By CPU, interrupts per second by their number."""


def _look(look: Look) -> Iterator[Told]:
    if not any(one.kind in _KINDS for one in look.databases):
        raise Idle("no database with a log writer of its own runs here: of MariaDB sessions write the log")
    watched = look.watched
    if watched.interrupts is None:
        raise Unread("/proc/interrupts cannot be read")
    if not watched.devices:
        of = f", which are {_names(watched.unfound)}" if watched.unfound else ""
        raise Unread(f"nothing tells which interrupts are those of disks and network cards{of}")
    busy = _busy(watched)
    look.note(
        "proc/interrupts", _said(watched, busy) or f"no CPU has {_BUSY_PER_S:,}/s of disks and network cards"
    )
    for database in look.databases if busy else ():
        if database.kind in _KINDS:
            yield from _of_database(look, database, busy)
    if watched.unfound:
        message = f"which interrupts are those of {_names(watched.unfound)} is not told: how busy they kept a CPU is not known"
        yield Told("doubt", message, "Look for rows of their driver in /proc/interrupts.")


def _names(found: Sequence[str]) -> str:
    more = f" and {len(found) - _NAMED_MAX} more" if len(found) > _NAMED_MAX else ""
    return ", ".join(found[:_NAMED_MAX]) + more


def _of_database(look: Look, database: Database, busy: _Busy) -> Iterator[Told]:
    writers = [one for one in look.watched.writers if one.database is database]
    if not writers:
        yield Told("doubt", "no log writer was found among its processes", of=database.words)
    for writer in writers:
        yield from _of(look, writer, busy)


def _busy(watched: WatchedHost) -> _Busy:
    by_cpu: dict[int, dict[int, float]] = {}
    for number, counts in (watched.interrupts or {}).items():
        for cpu, passed in counts.items():
            by_cpu.setdefault(cpu, {})[number] = passed / watched.watched_s if watched.watched_s else 0.0
    return {cpu: rates for cpu, rates in by_cpu.items() if sum(rates.values()) >= _BUSY_PER_S}


def _said(watched: WatchedHost, busy: _Busy) -> str:
    return "; ".join(f"CPU {cpu}: {_devices(watched, rates)}" for cpu, rates in sorted(busy.items()))


def _devices(watched: WatchedHost, rates: Mapping[int, float]) -> str:
    by_device: dict[str, float] = {}
    for number, rate in rates.items():
        name = watched.devices[number]
        by_device[name] = by_device.get(name, 0.0) + rate
    return ", ".join(f"{name} {rate:,.0f}/s" for name, rate in sorted(by_device.items()) if rate)


def _of(look: Look, writer: LogWriter, busy: _Busy) -> Iterator[Told]:
    allowed, ran = _allowed(look, writer), frozenset(writer.ran.samples)
    if not ran and not _is_kept(allowed, busy):
        if allowed is None or allowed & busy.keys():
            message = f"{writer.name} did not run while it was watched, so that its CPU is not known"
            yield Told("doubt", message, "Watch it for longer: --runtime 60s.", writer.database.words)
        return
    met = (ran or allowed or frozenset()) & busy.keys()
    if ran:
        look.note(f"{_folder(writer)}/stat", f"ran on CPUs {in_short(ran)}")
    if met:
        yield _told(look, writer, min(met, key=lambda cpu: -sum(busy[cpu].values())), busy)


def _folder(writer: LogWriter) -> str:
    return f"proc/{writer.thread.parent.parent.name}/task/{writer.thread.name}"


def _allowed(look: Look, writer: LogWriter) -> frozenset[int] | None:
    """CPUs that are online and that the writer itself may run on; None: not told."""
    return None if writer.allowed is None else writer.allowed & frozenset(look.online) or None


def _is_kept(allowed: frozenset[int] | None, busy: _Busy) -> bool:
    """Whether it may run on busy CPUs alone, as far as is known."""
    return allowed is not None and allowed <= busy.keys()


def _told(look: Look, writer: LogWriter, cpu: int, busy: _Busy) -> Told:
    numbers = [number for number, rate in busy[cpu].items() if rate]
    for number in numbers:
        _note_affinity(look, number)
    allowed = _allowed(look, writer)
    if allowed is not None:
        look.note(f"{_folder(writer)}/status", f"Cpus_allowed_list {in_short(allowed)}")
    where = "ran on" if writer.ran.samples else "may run on busy CPUs alone, such as"
    message = f"{writer.name} {where} CPU {cpu}, which serves {_devices(look.watched, busy[cpu])}"
    is_wrong = _is_kept(allowed, busy) and writer.database.kind != "postgresql"
    target = in_short(frozenset(look.online) - busy.keys()) or "another CPU"
    advice = (
        f"echo {target} > /proc/irq/{numbers[0]}/smp_affinity_list sends the interrupt elsewhere, where its driver allows it and"
        f" irqbalance does not undo it; or taskset -pc {target} {writer.thread.name} moves the writer."
    )
    return Told("wrong" if is_wrong else "hint", message, advice, writer.database.words)


def _note_affinity(look: Look, number: int) -> None:
    """Where the kernel sends it; not all kernels tell."""
    try:
        look.text(f"proc/irq/{number}/effective_affinity_list")
    except (Absent, Unread):
        return


RULE = Rule(
    title="Log writer on a CPU that serves interrupts",
    why="Every commit waits for the log writer, and it waits while its CPU serves a disk or a network card.",
    source="the kernel's Documentation/core-api/irq/irq-affinity.rst; in PostgreSQL sessions write most of the log themselves",
    look=_look,
)
