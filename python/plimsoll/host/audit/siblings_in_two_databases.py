"""Two databases that are bound to CPUs of the same core."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from plimsoll.host.audit._databases import Database
from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Idle, Unread
from plimsoll.host.topology.values import in_short


def _look(look: Look) -> Iterator[Told]:
    cores = [core.cpus for core in look.host.topology.cores if len(core.cpus) > 1]
    if any(cpu.core is None for cpu in look.host.topology.cpus if cpu.online):
        raise Unread("which CPUs are of one core is not told of all")
    if not cores:
        raise Idle("no core of this host runs several threads")
    if len(look.databases) < 2:
        raise Idle("one database alone runs here")
    for one in look.databases:
        told = "not told" if one.cpus is None else in_short(one.cpus)
        look.note(f"proc/{one.server.process}/status", f"Cpus_allowed_list {told}")
        if one.cpus is None:
            yield Told("doubt", "which CPUs it may run on is not told", of=one.words)
    known = [one for one in look.databases if one.cpus is not None]
    for one, other in combinations(known, 2):
        yield from _pair(cores, one, other)


def _pair(cores: Sequence[tuple[int, ...]], one: Database, other: Database) -> Iterator[Told]:
    """CPUs that both may use are shared on purpose, or by nobody's doing; what counts is a CPU of one beside one of the other."""
    mine, theirs = one.cpus or frozenset(), other.cpus or frozenset()
    shared = [core for core in cores if (mine - theirs) & set(core) and (theirs - mine) & set(core)]
    if not shared:
        return
    named = "; ".join(in_short(core).replace(",", " and ") for core in shared)
    rest = theirs - frozenset(cpu for core in shared for cpu in core)
    message = f"it shares cores with {other.words}: of CPUs {named} each has some"
    at_once = f"taskset -apc {in_short(rest)} {other.server.process} leaves them to one; " if rest else ""
    advice = f"{at_once}plimsoll host slice plan gives each database whole cores."
    yield Told("wrong", message, advice, one.words)


RULE = Rule(
    title="CPUs of one core given to two databases",
    why="Threads of a core share its units and its first caches: what one database does there slows the other down.",
    source="the kernel's Documentation/admin-guide/cputopology.rst (`thread_siblings`)",
    look=_look,
)
