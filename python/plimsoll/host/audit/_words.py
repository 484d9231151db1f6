"""What several rules say or ask alike."""

from __future__ import annotations

from plimsoll.host.audit._databases import Database
from plimsoll.host.audit._look import Look
from plimsoll.host.audit._unread import Idle, Unread


def known_databases(look: Look) -> list[Database]:
    """Those that run here; none where that cannot be told, for rules whose finding stands without them."""
    try:
        return list(look.databases)
    except (Idle, Unread):
        return []


def is_bound(look: Look, database: Database) -> bool:
    """Whether it may run on some of the nodes that have CPUs, and not on all: a CPU that is kept for others binds nobody."""
    nodes = {cpu.node for cpu in look.host.topology.cpus if cpu.online}
    return database.cpu_nodes is not None and database.cpu_nodes < nodes


def several_nodes(look: Look) -> None:
    """Raises Idle where all memory is equally near."""
    if not look.host.is_several_nodes:
        raise Idle("the host has one NUMA node")


def sysctl(name: str, value: int) -> str:
    """How a setting of the kernel is made, and kept."""
    key = name.replace(".", "-").replace("_", "-")
    return (
        f"sysctl -w {name}={value} sets it until the next boot;"
        f" echo '{name} = {value}' > /etc/sysctl.d/80-{key}.conf keeps it."
    )
