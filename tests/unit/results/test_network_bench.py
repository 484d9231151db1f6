"""What is said of a measured network, and how it ends."""

from __future__ import annotations

import facts_network
from facts_runs import all_runs
from plimsoll import results
from plimsoll.base.errors import ExitStatus
from plimsoll.results._blocks import Points
from plimsoll.results.network_bench import RESULT

FOUND = facts_network.network_bench()


def test_the_answer_has_the_most_of_each_direction_and_what_was_refused() -> None:
    slower = FOUND.tests[0].but(streams=1, out_mb_per_s=700.0)
    run = all_runs()["network"].but(results={"network_bench": FOUND.but(tests=(slower, *FOUND.tests))})
    assert results.answer(run) == (
        "over storage: out 1,176.4 MB/s, both at once 980.6 + 1,010.3 MB/s; not measured: backup"
    )


def test_the_status_says_what_was_not_made_and_what_does_not_agree() -> None:
    assert results.status(all_runs()["network"]) is ExitStatus.DONE_IN_PART
    assert results.status(all_runs()["network_less"]) is ExitStatus.ANSWER_IS_NO
    whole = FOUND.but(tests=FOUND.tests[:2])
    assert results.status(all_runs()["network"].but(results={"network_bench": whole})) is ExitStatus.DONE
    assert results.status(all_runs()["network"].but(interrupted=True)) is ExitStatus.INTERRUPTED


def test_what_went_another_way_is_said_with_the_command_that_shows_it() -> None:
    assert RESULT.blocks is not None
    (points,) = (one for one in RESULT.blocks(all_runs()["network_less"]) if isinstance(one, Points))
    assert all("`ip route get 10.1.0.9`" in said for _, said in points.rows)
    (refused,) = (one for one in RESULT.blocks(all_runs()["network"]) if isinstance(one, Points))
    assert [name for name, _ in refused.rows] == ["backup"]
