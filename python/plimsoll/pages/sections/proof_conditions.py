"""The conditions that the data must fulfil after the run, whatever happened in it."""

from __future__ import annotations

from plimsoll.charts import Subject
from plimsoll.facts import Proof
from plimsoll.pages._say import counted, name, sentence
from plimsoll.pages._section import Section
from plimsoll.results import Block, Points, Words

_VERDICTS = {True: "holds", False: "broken", None: "cannot tell"}


def applies(subject: Subject) -> bool:
    """Whether any were tried."""
    return subject.run.proof is not None and bool(subject.run.proof.conditions)


def blocks(subject: Subject) -> list[Block]:
    """How many hold, then each with what it asks and what was found; broken ones first."""
    proof = subject.run.proof
    assert proof is not None, "applies() has looked"
    ordered = sorted(proof.conditions, key=lambda found: (found.holds is not False, found.holds is True))
    rows = tuple(
        (
            f"{name(found.name)}: {_VERDICTS[found.holds]}",
            f"{sentence(found.help)} {sentence(found.reason)}".strip(),
        )
        for found in ordered
    )
    return [Words(_words(proof)), Points(rows)]


def _words(proof: Proof) -> str:
    verdicts = [found.holds for found in proof.conditions]
    broken, unknown = verdicts.count(False), verdicts.count(None)
    if broken:
        return f"{broken} of {counted(len(verdicts), 'condition')} are broken: the database did not keep what it was given."
    if unknown:
        return f"{verdicts.count(True)} of {counted(len(verdicts), 'condition')} hold; of {unknown} it cannot be told."
    return f"All {counted(len(verdicts), 'condition')} hold."


SECTION = Section("Are the data still right?", "Conditions that hold before and after.", 21, applies, blocks)
