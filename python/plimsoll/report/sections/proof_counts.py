"""Two counts of the same thing, where the blocks came from, and what a commit waited for."""

from __future__ import annotations

from plimsoll import charts
from plimsoll.charts import Subject
from plimsoll.facts import Proof
from plimsoll.report import proof_tables, proof_words
from plimsoll.report._blocks import Block, Figure, Grid, Points, Section, Words
from plimsoll.report._say import percent, sentence


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
    told = Words(f"How it is known where the blocks came from: {proof.origin.reason.rstrip('.')}.")
    if charts.load("block-origin").applies(subject):
        return [told, Figure("block-origin")]
    return [told, Grid("Where the blocks came from", proof_tables.origin(proof))]


def _commit(proof: Proof) -> list[Block]:
    found = proof.commit
    if found is None:
        return []
    shown: list[Block] = [
        Grid("What a commit waited for, by the server's counters", proof_tables.commit_parts(found))
    ]
    if found.parts_share is not None and found.parts_share > 1:
        share = percent(found.parts_share)
        shown.append(
            Words(
                f"Writing and forcing the log make {share} of what the commits took: the counters hold writes that none waited for."
            )
        )
    return shown


SECTION = Section("Counted twice", "Sessions' and server's counts, side by side.", 16, applies, blocks)
