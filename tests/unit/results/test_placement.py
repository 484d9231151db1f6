"""What a placement says of how good it is."""

from __future__ import annotations

import pytest

import facts_runs
from plimsoll import results
from plimsoll.results._blocks import Points


@pytest.mark.parametrize(
    ("gap", "told"),
    [
        (0.0, "proved best"),
        (1e-7, "proved best"),
        (2e-4, "less than 0.1 % below the best"),
        (0.002, "at most 0.2 % below the best"),
    ],
)
def test_a_gap_that_is_there_is_never_told_as_none(gap: float, told: str) -> None:
    run = facts_runs.place_run()
    assert run.placement is not None
    run = run.model_copy(update={"placement": run.placement.model_copy(update={"gap": gap})})
    blocks = results.kinds()["placement"].blocks
    assert blocks is not None
    (said,) = [str(block) for block in blocks(run) if isinstance(block, Points) and "best" in str(block)]
    assert told in said
