"""The conditions that the data must fulfil after the run, whatever happened in it."""

from __future__ import annotations

from plimsoll.charts import Subject
from plimsoll.facts import Proof
from plimsoll.report import proof_tables
from plimsoll.report._blocks import Block, Grid, Section, Words
from plimsoll.report._say import counted


def applies(subject: Subject) -> bool:
    """Whether any were tried."""
    return subject.run.proof is not None and bool(subject.run.proof.conditions)


def blocks(subject: Subject) -> list[Block]:
    """How many hold, then each."""
    proof = subject.run.proof
    assert proof is not None, "applies() has looked"
    return [Words(_words(proof)), Grid("The conditions", proof_tables.conditions(proof))]


def _words(proof: Proof) -> str:
    verdicts = [found.holds for found in proof.conditions]
    broken, unknown = verdicts.count(False), verdicts.count(None)
    if broken:
        return f"{broken} of {counted(len(verdicts), 'condition')} are broken: the database did not keep what it was given."
    if unknown:
        return f"{verdicts.count(True)} of {counted(len(verdicts), 'condition')} hold; of {unknown} it cannot be told."
    return f"All {counted(len(verdicts), 'condition')} hold."


SECTION = Section("Are the data still right?", "Conditions that hold before and after.", 21, applies, blocks)
