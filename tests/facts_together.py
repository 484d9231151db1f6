"""Three databases on one storage, which do not all fit, one of which is not known for a while; two of them do."""

from __future__ import annotations

from typing import Any

from facts_builder import database, demand, verdict
from plimsoll.demand.together import Together, together
from plimsoll.facts import SetVerdict
from plimsoll.predict.consolidation import Fitting, consolidation
from plimsoll.predict.storage_time import AtLine, share_of_time


def together_of_three() -> Together:
    """The three databases, aligned."""
    return together(
        [
            demand(peak, gap_at=gap_at, seed=seed).model_copy(
                update={"database": database().model_copy(update={"name": name, "system_identifier": name})}
            )
            for name, peak, gap_at, seed in (
                ("shop", 40_000.0, None, 7),
                ("crm", 12_000.0, 20, 8),
                ("hr", 18_000.0, None, 9),
            )
        ]
    )


def parts() -> dict[str, Any]:
    """Of a run: the demand of all three, the verdict on it, and what of them fits together."""
    found = together_of_three()
    yes = SetVerdict(
        databases=("shop", "crm"), weight=2, carries=True, headroom=1.08, reason="It was driven, and held."
    )
    share = share_of_time([AtLine(56_000.0, 56_000.0 * 8192)])
    return {
        "demand": found.sum_of((0, 1, 2)),
        "verdict": verdict(False, 56_000 / 70_000, 70_000.0),
        "consolidation": consolidation(found, (1, 1, 1), Fitting(False, (yes,), share)),
    }
