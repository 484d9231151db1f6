"""Which sections a report has, in which order; and the document they make, damage to its tables included."""

from __future__ import annotations

from collections.abc import Callable

from reportgen import damage
from reportgen.facts import Facts
from reportgen.layout import Kind, Layout
from reportgen.model import Block
from reportgen.sections import (
    activity,
    caches,
    cluster,
    contention,
    head,
    histogram,
    io,
    machine,
    memory,
    profile,
    segments,
    sql,
    waits,
    whole,
)

Section = Callable[[Facts, Layout], list[Block]]

_SUMMARY: tuple[Section, ...] = (
    caches.sizes,
    profile.findings,
    profile.load_profile,
    profile.efficiency,
    caches.shared_pool,
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
    histogram.blocks,
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


_GLOBAL_SUMMARY: tuple[Section, ...] = (profile.findings, whole.top_events)
_GLOBAL_BODY: tuple[Section, ...] = (
    whole.foreground,
    whole.io_profile,
    whole.io_functions,
    whole.statistics,
    whole.segments,
    whole.sql,
    whole.parameters,
    sql.texts,
)


def document(facts: Facts, layout: Layout) -> tuple[list[Block], list[Block], list[Block]]:
    """Head, summary and body of the report."""
    heads, summary, body = _sections(layout)
    parts = (
        heads(facts, layout),
        [block for section in summary for block in section(facts, layout)],
        [block for section in body for block in section(facts, layout)],
    )
    return damage.document(*parts, layout=layout)


def _sections(layout: Layout) -> tuple[Section, tuple[Section, ...], tuple[Section, ...]]:
    if layout.kind is Kind.GLOBAL:
        return whole.head, _GLOBAL_SUMMARY, _GLOBAL_BODY
    left_out = _NOT_IN_PDB if layout.kind is Kind.PDB else frozenset[Section]()
    kept = [tuple(section for section in part if section not in left_out) for part in (_SUMMARY, _BODY)]
    return head.blocks, kept[0], kept[1]
