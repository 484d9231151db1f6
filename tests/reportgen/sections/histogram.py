"""How the waits for each event spread over times."""

from __future__ import annotations

from reportgen.facts import Facts
from reportgen.layout import Layout
from reportgen.model import Block, Column, Row, Table
from reportgen.printing import TEXT, Suffixed, fixed

# Headings of buckets, with where each ends in µs; the last one is open.
_MS_BUCKETS = (
    ("<1ms", 1e3),
    ("<2ms", 2e3),
    ("<4ms", 4e3),
    ("<8ms", 8e3),
    ("<16ms", 16e3),
    ("<32ms", 32e3),
    ("<=1s", 1_024e3),
    (">1s", None),
)
_US_BUCKETS = (
    ("<8us", 8.0),
    ("<16us", 16.0),
    ("<32us", 32.0),
    ("<64us", 64.0),
    ("<128us", 128.0),
    ("<256us", 256.0),
    ("<512us", 512.0),
    (">=512us", None),
)


def blocks(facts: Facts, layout: Layout) -> list[Block]:
    """How the waits of each event spread over times."""
    if not layout.since(10, 2):
        return []
    fine = layout.unit_waits
    buckets = _US_BUCKETS if fine else _MS_BUCKETS
    event_width, waits_width = (25, 6) if layout.since(12, 1) and not layout.statspack else (26, 5)
    columns = (
        Column("event", "Event", event_width, TEXT),
        Column("waits", "Total\nWaits", waits_width, Suffixed(droppable=False)),
        *_bucket_columns(buckets),
    )
    rows = tuple(
        Row((wait.event, wait.waits, *wait.shares))
        for wait in sorted(facts.waits, key=lambda wait: wait.event)
    )
    span = "% of Total Waits" if fine else "% of Waits"
    ruled = " " * (event_width + waits_width + 2)
    over = (f"{ruled[:-1]} {span:^47}".rstrip(), ruled + "-" * 47)
    notes = (
        "Units for Total Waits column: K is 1000, M is 1000000, G is 1000000000",
        "Ordered by Event (idle events last)",
    )
    beside = ""
    if layout.statspack:
        over, beside = (), f"{' % of Waits ':-^47}"
    summary = "This table displays total number of waits, and information about total waits for each event"
    groups = (("", 1), ("", 1), (span, len(buckets)))
    return [
        Table(
            "Wait Event Histogram",
            (columns,),
            rows,
            "wait_histogram",
            notes=notes,
            over=over,
            beside=beside,
            groups=groups,
            summary=summary,
        )
    ]


def _bucket_columns(buckets: tuple[tuple[str, float | None], ...]) -> tuple[Column, ...]:
    made: list[Column] = []
    begin_us = 0.0
    for heading, end_us in buckets:
        made.append(
            Column(None, heading[:5], 5, fixed(1, bare=True), html=heading, bucket=(begin_us, end_us))
        )
        begin_us = end_us or 0.0
    return tuple(made)
