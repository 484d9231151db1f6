"""On which NUMA nodes a PostgreSQL server says that its shared memory lies (18 and later, built with libnuma).

Source: PostgreSQL manual, "pg_shmem_allocations_numa", which only superusers and `pg_read_all_stats` may read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from plimsoll.base.errors import PlimsollError
from plimsoll.databases import _queries
from plimsoll.databases._kind import Session
from plimsoll.databases._refusals import reads_answers

_OLDEST = 18


@dataclass(frozen=True)
class NodesTold:
    """Bytes by node, under None what it could not place. With `unknown_because` nothing is told."""

    by_node: Mapping[int | None, int] = field(default_factory=dict["int | None", int])
    unknown_because: str = ""


def nodes_told(session: Session, version_number: int) -> NodesTold:
    """What the server counts, or why it does not. Raises nothing of the server's: what it refuses is the reason."""
    major = version_number // 10_000
    if major < _OLDEST:
        return NodesTold(
            unknown_because=f"PostgreSQL {major} does not tell nodes of its memory, {_OLDEST} is the first"
        )
    try:
        return _asked(session, _queries.for_version("postgres", major))
    except PlimsollError as error:
        return NodesTold(unknown_because=error.message)


@reads_answers
def _asked(session: Session, queries: Mapping[str, str]) -> NodesTold:
    ((is_available,),) = session.run(queries["numa_available"])
    if not is_available:
        why = "the server was built without libnuma, or its kernel has no NUMA (pg_numa_available() is false)"
        return NodesTold(unknown_because=why)
    rows = session.run(queries["shared_memory_nodes"])
    return NodesTold({None if node is None else int(node): int(size) for node, size in rows})
