"""Lists of segments, one per statistic."""

from __future__ import annotations

from reportgen import names
from reportgen.facts import Facts, Segment
from reportgen.layout import Layout
from reportgen.model import Block, Column, Row, Table
from reportgen.printing import COUNT, IDENTIFIER, TEXT, Value, fixed
from reportgen.sections.sql import has_containers


def blocks(facts: Facts, layout: Layout) -> list[Block]:
    """Every list that the layout has."""
    if not layout.since(9) or layout.kind == "awr-global":
        return []
    left_out = "Physical Writes" if layout.statspack else ""
    return [_list(facts, layout, name, heading) for name, heading in names.SEGMENT_LISTS if name != left_out]


def _list(facts: Facts, layout: Layout, name: str, heading: str) -> Table:
    whole = sum(segment.value for segment in facts.segments)
    captured = name == "Row Lock Waits"
    share = Column(
        "capture_percent" if captured and not layout.statspack else "total_percent",
        "Pct\nTotal" if layout.statspack else "% of\nCapture" if captured else "%Total",
        5 if layout.statspack else 7,
        fixed(2),
    )
    if layout.statspack:
        share = Column(share.name, share.heading, 5, fixed(1, bare=True))
    value = Column("value", heading, 12, COUNT)
    lines = _lines(layout, value, share)
    container: tuple[Value, ...] = ()
    if has_containers(facts, layout):
        lines = (*lines[:-1], (*lines[-1], Column("pdb", "PDB Name", 20, TEXT)))
        container = (facts.header.container,)
    rows = tuple(
        Row((*_values(layout, segment, segment.value / whole * 100), *container))
        for segment in sorted(facts.segments, key=lambda each: -each.value)
    )
    title = f"Segments by {name}"
    summary = f"This table displays top segments by {name.lower()}"
    return Table(title, lines, rows, "segments", constants={"statistic": name.lower()}, summary=summary)


def _lines(layout: Layout, value: Column, share: Column) -> tuple[tuple[Column, ...], ...]:
    owner, tablespace = Column("owner", "Owner", 10, TEXT), Column("tablespace", "Tablespace\nName", 10, TEXT)
    name = Column("object_name", "Object Name", 20, TEXT)
    subobject = Column("subobject_name", "Subobject\nName", 10, TEXT)
    kind = Column("object_type", "Obj.\nType", 5, TEXT)
    if layout.statspack:
        wide = Column("subobject_name", "Subobject\nName", 12, TEXT)
        return ((owner, Column("tablespace", "Tablespace", 10, TEXT), name, wide, kind, value, share),)
    numbers = (
        Column("object_number", "Obj#", 10, IDENTIFIER),
        Column("data_object_number", "Dataobj#", 10, IDENTIFIER),
    )
    if layout.since(12, 1):
        first = (Column("owner", "Owner", 20, TEXT), tablespace)
        return first, (name, subobject, kind, *numbers, value, share)
    return ((owner, tablespace, name, subobject, kind, value, share),)


def _values(layout: Layout, segment: Segment, share: float) -> tuple[Value, ...]:
    front: tuple[Value, ...] = (
        segment.owner,
        segment.tablespace,
        segment.name,
        segment.subobject,
        segment.kind,
    )
    numbers: tuple[Value, ...] = ()
    if not layout.statspack and layout.since(12, 1):
        numbers = (segment.object_number, segment.data_object_number)
    return (*front, *numbers, segment.value, share)
