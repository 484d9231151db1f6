"""The interference matrix against queueing theory, and what it says in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any

import pytest

from plimsoll.context import Cancel
from plimsoll.facts import Cell, Effect, Encounter, Interference, Plan, PlanGroup, Simulation, Target
from plimsoll.supply import engine, interference
from plimsoll.supply.interference import Matrix, Meeting, meetings
from plimsoll.supply.shapes import Ground, Sizes, named

pytestmark = pytest.mark.slow

MEAN_US = 100.0
ERLANG_2_P99 = 6.638
"""The 99th percentile of the sum of two exponential times of mean 1."""


def matrix(*names: str, servers: int = 1, runtime_s: float = 60.0, **asked: Any) -> Matrix:
    target = Target(name="sim:", kind="simulated", path="sim:", span_bytes=1 << 40, ours=True)
    device = Simulation(law="exponential", mean_us=MEAN_US, servers=servers)
    plan = Plan(runtime_s=runtime_s, warm_up_s=0.3, simulation=device).on(target, target)

    def measure(clients: Sequence[PlanGroup]) -> Cell:
        return engine.measure(plan.doing(clients), (), Cancel(), lambda live: None)

    sizes = Sizes(readers=4, depth=4, streams=2)
    made = {shape: shape.make(sizes, Ground("sim", "sim", 512)) for shape in named(names)}
    return Matrix(made, measure, **asked)


def whole(measured: Matrix) -> Interference:
    for meeting in measured.meetings():
        measured.meet(meeting)
    return measured.result()


def alone_at(found: Interference, name: str) -> Encounter:
    return next(one for one in found.encounters if one.together == (name,) and one.paced)


def test_each_meets_each_other_one_in_both_roles() -> None:
    assert meetings(["a", "b", "c"]) == [
        Meeting(None, ("a",)), Meeting(None, ("b",)), Meeting(None, ("c",)),
        Meeting("a"), Meeting("b"), Meeting("c"),
        Meeting("a", ("b",)), Meeting("a", ("c",)),
        Meeting("b", ("a",)), Meeting("b", ("c",)),
        Meeting("c", ("a",)), Meeting("c", ("b",)),
        Meeting("a", ("b", "c")), Meeting("b", ("a", "c")), Meeting("c", ("a", "b")),
    ]  # fmt: skip
    assert Meeting("a", ("b",)) in meetings(["a", "b"])
    assert len(meetings(["a", "b"])) == 6, "of two, all others are the one other"
    assert meetings(["a"]) == [Meeting(None, ("a",)), Meeting("a")]


def test_alone_it_is_a_queue_of_one_server() -> None:
    """M/M/1 at half of 10,000 a second: the time in it is exponential with a mean of 200 µs."""
    found = whole(matrix("async_readers"))
    alone = alone_at(found, "async_readers")
    assert alone.rate_per_s == pytest.approx(5_000, rel=0.02)
    assert alone.kept_up
    assert alone.cell.latency_us.mean == pytest.approx(200, rel=0.05)
    assert alone.cell.latency_us.p99 == pytest.approx(200 * log(100), rel=0.05)
    assert found.effects == ()
    assert found.strongest is None


def test_a_neighbour_lengthens_the_latency_as_theory_says() -> None:
    """A neighbour that always has d I/Os under way multiplies the mean time in an M/M/1 queue by d + 1.

    The number of the paced client's own I/Os is negative binomial (BCMP networks, Baskett and others 1975), and the time
    is the sum of d + 1 exponential ones; the log writer has d = 1.
    """
    found = whole(matrix("async_readers", "log_writer"))
    effect = next(one for one in found.effects if one.shape == "async_readers")
    beside = next(one for one in found.encounters if one.together == ("async_readers", "log_writer"))
    alone = alone_at(found, "async_readers")
    means = [one.cell.classes[0].latency_us.mean or 0.0 for one in (beside, alone)]
    assert means[0] / means[1] == pytest.approx(2.0, rel=0.05)
    assert effect.p99_ratio == pytest.approx(ERLANG_2_P99 / log(100), rel=0.05)
    assert effect.latency_us_p99_alone == alone.cell.latency_us.p99
    assert not effect.lower_bound


def test_the_paced_client_asks_for_the_same_in_all_of_its_encounters() -> None:
    found = whole(matrix("async_readers", "scans", "oltp_readers"))
    for name in found.shapes:
        rates = {one.rate_per_s for one in found.encounters if one.paced == name}
        assert len(rates) == 1
    assert len(found.encounters) == 3 + 3 + 6 + 3


def test_rates_of_the_user_win_over_the_share() -> None:
    found = whole(matrix("async_readers", "scans", rates_per_s={"scans": 700.0}, rate_share=0.3))
    assert alone_at(found, "scans").rate_per_s == 700.0
    assert alone_at(found, "async_readers").rate_per_s == pytest.approx(3_000, rel=0.02)


def test_a_client_that_falls_behind_is_said_to_be_worse_than_measured() -> None:
    """More than the device can do: the queue grows for as long as one looks."""
    found = whole(matrix("async_readers", "scans", runtime_s=10.0, rates_per_s={"scans": 20_000.0}))
    assert alone_at(found, "scans").kept_up is False
    effect = next(one for one in found.effects if one.shape == "scans")
    assert effect.lower_bound
    assert effect.p99_ratio is None, "alone it fell behind as well: nothing to compare with"
    assert found.strongest is not None
    assert found.strongest.startswith(("Cannot tell", "The strongest"))


def test_readers_block_readers_on_one_server_and_not_on_many() -> None:
    one = whole(matrix("oltp_readers", "scans"))
    assert one.answers[0].startswith(
        "Readers block readers here: beside oltp readers, the p99 of scan reads is "
    )
    many = whole(matrix("oltp_readers", "scans", servers=1000))
    assert many.answers[0].startswith("Readers do not block readers here: beside ")
    assert many.strongest is not None
    assert many.strongest.startswith("No client makes the p99 of another one 1.2 times as long")


def test_what_slows_writes_down_is_of_writes_beside_reads_alone() -> None:
    found = whole(matrix("log_writer", "checkpoint", "scans"))
    assert found.answers[0].startswith("Reads slow writes down here: beside scans, the p99 of ")
    assert len(found.answers) == 1, "there is one kind of reader, so nothing is said of readers"
    assert whole(matrix("log_writer", "checkpoint")).answers == ()


def test_an_encounter_that_was_ended_early_is_kept_and_says_nothing() -> None:
    measured = matrix("async_readers", "scans")
    for meeting in measured.meetings()[:-1]:
        measured.meet(meeting)
    stopped = measured.result().encounters[-1].cell.model_copy(update={"ended_early": "stopped"})
    ended = matrix("async_readers", "scans")
    cells = iter([one.cell for one in measured.result().encounters[:-1]] + [stopped])
    ended._measure = lambda clients: next(cells)
    for meeting in ended.meetings()[:-1]:
        ended.meet(meeting)
    assert len(ended.result().encounters) == len(measured.result().encounters) == 5
    assert len(measured.result().effects) == 1
    assert ended.result().effects == ()


def test_a_client_of_the_matrix_is_measured_with_its_neighbours_and_no_others() -> None:
    seen: list[list[str]] = []
    measured = matrix("async_readers", "scans", "log_writer", runtime_s=0.1)
    inner = measured._measure

    def measure(clients: Sequence[PlanGroup]) -> Cell:
        seen.append([client.name for client in clients])
        return inner(clients)

    measured._measure = measure
    for meeting in measured.meetings():
        measured.meet(meeting)
    assert seen[0] == ["async_readers"]
    assert ["scans", "log_writer"] in seen
    assert ["log_writer", "async_readers", "scans"] in seen


def test_too_few_ios_for_a_p99_are_no_calm() -> None:
    """A starved client must not pass for one that nobody disturbs."""
    starved = Effect(
        shape="log_writer", io_class="log_write", neighbours=("scans",), p50_ratio=54.5, p99_ratio=None,
        latency_us_p99_alone=400.0, latency_us_p99=None, lower_bound=False,
    )  # fmt: skip
    calm = starved.model_copy(update={"io_class": "scan_read", "p50_ratio": 1.0, "p99_ratio": 0.95})
    words = interference._strongest([starved, calm])
    assert words is not None
    assert words.startswith("Cannot tell: beside scans too few log writes ended for a p99")
    assert "54.5 times" in words
