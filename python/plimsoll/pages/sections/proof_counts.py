"""Two counts of the same thing, where the blocks came from, and what a commit waited for."""

from __future__ import annotations

from plimsoll import charts
from plimsoll.charts import Subject
from plimsoll.facts import Proof
from plimsoll.pages import proof_tables, proof_words
from plimsoll.pages._say import sentence
from plimsoll.pages._section import Section
from plimsoll.results import Block, Figure, Grid, Points, Words


def applies(subject: Subject) -> bool:
    """Whether anything was counted twice, or taken apart."""
    proof = subject.run.proof
    return proof is not None and bool(proof.agreements or proof.origin or proof.commit)


def blocks(subject: Subject) -> list[Block]:
    """The counts side by side, then blocks by their origin, then a commit's parts."""
    proof = subject.run.proof
    assert proof is not None, "applies() has looked"
    return [*_agreements(proof), *_origin(subject, proof), *_commit(proof)]


def _agreements(proof: Proof) -> list[Block]:
    if not proof.agreements:
        return []
    notable = tuple(
        (found.what, sentence(found.reason)) for found in proof.agreements if found.holds is not True
    )
    table = Grid("What the sessions counted, and what the server counted", proof_tables.agreements(proof))
    return [
        Words(proof_words.agreement_words(proof)), table, *([Points(notable)] if notable else []),
    ]  # fmt: skip


def _origin(subject: Subject, proof: Proof) -> list[Block]:
    if proof.origin is None:
        return []
    told = Words(proof_words.origin_words(proof.origin))
    if charts.load("block-origin").applies(subject):
        return [told, Figure("block-origin")]
    return [told, Grid("Where the blocks came from", proof_tables.origin(proof))]


def _commit(proof: Proof) -> list[Block]:
    found = proof.commit
    if found is None:
        return []
    table = Grid("What a commit waited for, by the server's counters", proof_tables.commit_parts(found))
    more = proof_words.commit_words(found, proof_words.lost_hosts(proof))
    return [table, Words(more)] if more else [table]


SECTION = Section("Counted twice", "Sessions' and server's counts, side by side.", 16, applies, blocks)
