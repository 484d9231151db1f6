"""The hosts that sessions were driven from: what those of each did, and which were lost."""

from __future__ import annotations

from plimsoll.charts import Subject
from plimsoll.pages import proof_tables, proof_words
from plimsoll.pages._say import sentence
from plimsoll.pages._section import Section
from plimsoll.results import Block, Grid, Points, Words


def applies(subject: Subject) -> bool:
    """Whether several hosts were named."""
    return subject.run.proof is not None and subject.run.proof.hosts is not None


def blocks(subject: Subject) -> list[Block]:
    """How they began, a row for each, and why those that were lost were."""
    proof = subject.run.proof
    assert proof is not None, "applies() has looked"
    assert proof.hosts is not None, "applies() has looked"
    lost = tuple(
        (one.host, sentence(one.lost_because)) for one in proof.hosts.hosts if one.lost_because is not None
    )
    shown: list[Block] = [
        Words(proof_words.host_words(proof)),
        Grid("The sessions of each host together, in the window", proof_tables.hosts(proof.hosts)),
    ]
    return [*shown, Points(lost)] if lost else shown


SECTION = Section("The hosts", "What the sessions of each host did.", 54, applies, blocks)
