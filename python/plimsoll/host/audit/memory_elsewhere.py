"""A database whose memory lies on other nodes than the CPUs that it runs on."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.base.units import format_bytes, format_share
from plimsoll.host.audit._databases import Database
from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._words import is_bound, several_nodes
from plimsoll.host.process_places import ELSEWHERE_SHARE
from plimsoll.host.topology.values import in_short

_ONE_NODE_SHARE = 0.9
"""Of the memory of a database that runs on several nodes: the others all reach for it through one node's controllers."""
_LARGE_BYTES = 1 << 30
"""Less memory than this fits into caches for a good part, and its place matters little."""


def _look(look: Look) -> Iterator[Told]:
    several_nodes(look)
    for database in look.databases:
        yield from _of(look, database)


def _of(look: Look, database: Database) -> Iterator[Told]:
    number = database.server.process
    if database.cpus is None or database.cpu_nodes is None or database.home_nodes is None:
        yield Told("doubt", "which CPUs and nodes it may run on is not told", of=database.words)
        return
    allowed = "not told" if database.nodes_allowed is None else in_short(database.nodes_allowed)
    bound = f"Cpus_allowed_list {in_short(database.cpus)}, Mems_allowed_list {allowed}"
    look.note(f"proc/{number}/status", bound)
    if database.nodes_allowed is not None and not database.nodes_allowed & database.home_nodes:
        yield Told("wrong", _apart(look, database), _advice(database), database.words)
    elif database.memory is None:
        message = "on which nodes its memory lies is not told: numa_maps of its processes cannot be read"
        yield Told("doubt", message, of=database.words)
    else:
        look.note(f"proc/{number}/numa_maps", _places(database))
        yield from _by_pages(look, database, database.elsewhere_bytes or 0)


def _apart(look: Look, database: Database) -> str:
    """With the distance, where that is told."""
    cpus, mems = database.cpu_nodes or frozenset(), database.nodes_allowed or frozenset()
    places = {node.id: place for place, node in enumerate(look.host.topology.nodes)}
    found = [
        look.host.topology.distances[places[one]][places[other]]
        for one in cpus & places.keys()
        for other in mems & places.keys()
        if look.host.topology.distances
    ]
    far = [one for one in found if one is not None]
    distance = f", at distance {min(far)} where its own is 10" if far else ""
    return (
        f"it may run on CPUs {in_short(database.cpus or frozenset())} of node {in_short(cpus)}, and may take memory of node"
        f" {in_short(mems)} alone{distance}"
    )


def _by_pages(look: Look, database: Database, elsewhere: int) -> Iterator[Told]:
    assert database.memory is not None
    assert database.cpu_nodes is not None
    total = database.memory.by_node.total()
    nodes = in_short(database.cpu_nodes)
    near = (database.home_nodes or frozenset()) - database.cpu_nodes
    beside = f", and than node {in_short(near)} near to these" if near else ""
    if elsewhere > ELSEWHERE_SHARE * total:
        message = (
            f"{format_bytes(elsewhere)} of its {format_bytes(total)} of memory ({format_share(elsewhere / total)}) are on other"
            f" nodes than node {nodes}, on whose CPUs it may run{beside}"
        )
        yield Told("wrong", message, _advice(database), database.words)
        return
    node, most = max(database.memory.by_node.items(), key=lambda one: one[1], default=(0, 0))
    is_wide = len(database.cpu_nodes) > 1 and not is_bound(look, database)
    if is_wide and total >= _LARGE_BYTES and most >= _ONE_NODE_SHARE * total:
        message = f"it may run on nodes {nodes}, and {format_share(most / total)} of its {format_bytes(total)} is on node {node}"
        advice = (
            "Start it by numactl --interleave=all, so that each node's controllers serve it; or give it CPUs of one node, as"
            " plimsoll host slice plan does."
        )
        yield Told("hint", message, advice, database.words)


def _places(database: Database) -> str:
    assert database.memory is not None
    by_node = sorted(database.memory.by_node.items())
    return ", ".join(f"N{node} {format_bytes(size)}" for node, size in by_node if size) or "none"


def _advice(database: Database) -> str:
    home = in_short(database.cpu_nodes or frozenset())
    away = in_short(
        frozenset(database.memory.by_node if database.memory else ()) - (database.home_nodes or frozenset())
    )
    at_once = (
        f"migratepages {database.server.process} {away} {home} moves the pages of a process; " if away else ""
    )
    return (
        f"{at_once}numactl --cpunodebind={home} --membind={home} starts it on its node; in a control group cpuset.mems has to be"
        f" {home}."
    )


RULE = Rule(
    title="CPUs and memory of a database on different nodes",
    why="Each access to memory of another node takes longer, and shares the link between the nodes with all others.",
    source="numa(7); the kernel's Documentation/admin-guide/mm/numaperf.rst",
    look=_look,
)
