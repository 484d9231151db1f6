"""What the instances of a cluster sent each other."""

from __future__ import annotations

from reportgen.facts import Facts
from reportgen.layout import Layout
from reportgen.model import Block, Column, Profile, Prose
from reportgen.printing import TWO, Value

_MESSAGE_BYTES = 200
_KIB = 1024
_TRAFFIC = "Estd Interconnect traffic (KB)"


def rac(facts: Facts, layout: Layout) -> list[Block]:
    """The load of the global cache; the estimated traffic follows from the other lines by Oracle's own formula."""
    if not facts.header.rac or not layout.since(10, 1):
        return []
    between = facts.interconnect
    blocks = between.blocks_received + between.blocks_served
    messages = between.messages_received + between.messages_sent
    traffic = blocks * facts.header.block_bytes / _KIB + messages * _MESSAGE_BYTES / _KIB
    lines = (
        ("Global Cache blocks received", between.blocks_received),
        ("Global Cache blocks served", between.blocks_served),
        ("GCS/GES messages received", between.messages_received),
        ("GCS/GES messages sent", between.messages_sent),
        ("DBWR Fusion writes", between.fusion_writes),
    )
    rows: list[tuple[str, tuple[Value, ...]]] = [
        (name, (facts.per_second(total), facts.per_transaction(total))) for name, total in lines
    ]
    rows.append((_TRAFFIC, (facts.per_second(traffic), None)))
    columns = (
        Column("per_second", "Per Second", 22, TWO),
        Column("per_transaction", "Per Transaction", 22, TWO),
    )
    summary = "This table displays information about global cache load profile"
    return [
        _heading(facts, layout),
        Profile(
            "Global Cache Load Profile",
            31,
            columns,
            tuple(rows),
            view="rac_profile",
            dashes=(15, 15),
            beside=False,
            without_colon=frozenset({_TRAFFIC}),
            summary=summary,
        ),
    ]


def _heading(facts: Facts, layout: Layout) -> Prose:
    header, count = facts.header, len(facts.instances)
    title = f"RAC Statistics  DB/Inst: {header.db_name}/{facts.first.name}  Snaps: {header.begin_snap}-{header.end_snap}"
    lines = (
        title,
        "",
        f"{'':32}Begin   End",
        f"{'':32}----- -----",
        f"{'Number of Instances:':>31} {count:>5} {count:>5}",
        "",
    )
    cells = f"<tr><td>Number of Instances:</td><td>{count}</td><td>{count}</td></tr>"
    headings = "<tr><th></th><th>Begin</th><th>End</th></tr>"
    summary = "This table displays information about RAC instances"
    return Prose(
        text=lines,
        html=f'<h3 class="awr">RAC Statistics</h3>\n<table summary="{summary}">{headings}\n{cells}\n</table>',
    )
