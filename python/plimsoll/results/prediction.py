"""What the storage's line said of the proof beside it; it speaks for no run alone."""

from __future__ import annotations

from plimsoll.base.units import format_share
from plimsoll.facts import Prediction
from plimsoll.results._kind import ResultKind


def _answer(prediction: Prediction) -> str:
    if prediction.error_share is None:
        return "no prediction"
    return f"predicted within {format_share(abs(prediction.error_share))}"


RESULT = ResultKind(fact=Prediction, rank=900, answer=_answer)
