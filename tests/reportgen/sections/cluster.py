"""What the instances of a cluster sent each other."""

from __future__ import annotations

from reportgen.facts import Facts
from reportgen.layout import Layout
from reportgen.model import Block, Column, Profile
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
        )
    ]
