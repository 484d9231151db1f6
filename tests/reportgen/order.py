"""Which sections a report has, in which order; and the document they make, damage to its tables included."""

from __future__ import annotations

from collections.abc import Callable

from reportgen import damage
from reportgen.facts import Facts
from reportgen.layout import Kind, Layout
from reportgen.model import Block
from reportgen.sections import (
    activity,
    cluster,
    contention,
    head,
    io,
    machine,
    memory,
    profile,
    segments,
    sql,
    waits,
)

Section = Callable[[Facts, Layout], list[Block]]

_SUMMARY: tuple[Section, ...] = (
    profile.findings,
    profile.load_profile,
    profile.efficiency,
    waits.top_events,
    waits.wait_classes,
    profile.host_cpu,
    profile.io_profile,
)
_BODY: tuple[Section, ...] = (
    machine.time_model,
    machine.os_statistics,
    waits.foreground_classes,
    waits.events,
    waits.histogram,
    sql.blocks,
    activity.statistics,
    io.by_function,
    io.tablespaces,
    io.files,
    memory.pools,
    activity.checkpoints,
    memory.pool_advice,
    memory.pga,
    memory.shared_pool,
    memory.sga,
    contention.buffer_waits,
    contention.enqueues,
    contention.undo,
    contention.latches,
    segments.blocks,
    contention.dictionary_cache,
    contention.library_cache,
    activity.components,
    activity.parameters,
    cluster.rac,
)
# A container's report has no sections about the whole instance.
_NOT_IN_PDB: frozenset[Section] = frozenset(
    {profile.findings, activity.checkpoints, contention.undo, cluster.rac, memory.shared_pool}
)


def document(facts: Facts, layout: Layout) -> tuple[list[Block], list[Block], list[Block]]:
    """Head, summary and body of the report."""
    wanted = [
        section
        for section in (*_SUMMARY, *_BODY)
        if layout.kind is not Kind.PDB or section not in _NOT_IN_PDB
    ]
    parts = (
        head.blocks(facts, layout),
        [block for section in _SUMMARY if section in wanted for block in section(facts, layout)],
        [block for section in _BODY if section in wanted for block in section(facts, layout)],
    )
    return damage.document(*parts, layout=layout)
