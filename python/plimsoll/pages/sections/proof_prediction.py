"""A prediction followed by a measurement: the storage's line beside what the database then did, with the error."""

from __future__ import annotations

from plimsoll import charts
from plimsoll.charts import Subject
from plimsoll.pages import proof_words
from plimsoll.pages._section import Section
from plimsoll.results import Block, Figure, Words


def applies(subject: Subject) -> bool:
    """Whether something was predicted."""
    return subject.run.prediction is not None


def blocks(subject: Subject) -> list[Block]:
    """Both figures, or the reason why there is nothing to compare."""
    found = subject.run.prediction
    assert found is not None, "applies() has looked"
    shown: list[Block] = [Words(proof_words.prediction_words(found))]
    return [*shown, Figure("prediction")] if charts.load("prediction").applies(subject) else shown


SECTION = Section("Predicted and proved", "The storage's line beside the proof.", 13, applies, blocks)
