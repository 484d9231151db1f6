"""A verdict on simulated storage, and what a later demand of the same database says of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from demand_snapshots import START, database
from plimsoll.base.errors import UsageError
from plimsoll.cli.main import run as command
from plimsoll.context import Context
from plimsoll.demand import intervals
from plimsoll.facts import ClassDemand, Demand, DemandInterval, Run, Settlement
from plimsoll.flows.assess import assess
from plimsoll.flows.demand import write_demand
from plimsoll.flows.settle import predictions, settle_prediction
from plimsoll.ports.clock import SystemClock
from plimsoll.requests.assess import AssessRequest
from plimsoll.requests.settle import SettleRequest
from plimsoll.results import answer, kinds, status
from plimsoll.store import new_run_id, open_store
from simulated import context

QUEUE = "sim:law=exponential,mean=500us"
"""An M/M/1 queue: the mean time in it is 1 / (2000 - λ), and 99 of 100 are done within ln 100 times that."""
LOAD = 500.0
MEAN_US = 1e6 / (2000 - LOAD)
TODAY = datetime.now(UTC)
PREDICTED = TODAY - timedelta(days=60)
LATER = TODAY - timedelta(days=30)


class Then(SystemClock):
    """The clock on the day of the prediction."""

    def now(self) -> datetime:
        return PREDICTED


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[Context]:
    with context(tmp_path / "journals") as made:
        yield made


def second(begin: datetime, number: int, reads: float, mean_us: float | None, **more: Any) -> DemandInterval:
    classes: Any = {
        "small_read": ClassDemand(
            ops_per_s=reads, bytes_per_s=reads * 8192, latency_us_mean=mean_us, source="counters"
        )
    }
    at = begin + timedelta(seconds=number)
    return DemandInterval(
        begin_time=at, end_time=at + timedelta(seconds=1), duration_s=1.0, classes=classes, iops=reads,
        mb_per_s=reads * 8192 / 1e6, **more,
    )  # fmt: skip


def whole(found: Sequence[DemandInterval]) -> Demand:
    return Demand(
        database=database(), resolution_s=1.0, intervals=tuple(found), peak=intervals.peak(found), mean=intervals.mean(found),
    )  # fmt: skip


def predicted(ctx: Context, tmp_path: Path, slo: str = "p99=5ms") -> Run:
    """A prediction in the store of this test."""
    run = _assessed(tmp_path, slo).model_copy(update={"id": new_run_id(PREDICTED)})
    ctx.store.save(run)
    return run


_made: dict[str, Run] = {}


def _assessed(folder: Path, slo: str) -> Run:
    """Measured once for each objective: it takes a second, and in virtual time each run of it is the same."""
    if slo not in _made:
        write_demand(whole([second(START, n, LOAD, 300.0) for n in range(60)]), folder / "before.json")
        asked = AssessRequest(
            target=QUEUE, demand=(str(folder / "before.json"),), slo=slo, trial_s=20.0, seed=1
        )
        with context(folder / "assessed") as ctx:
            _made[slo] = assess(replace(ctx, clock=Then()), asked)
    return _made[slo]


def settled(ctx: Context, tmp_path: Path, found: Sequence[DemandInterval], run: str = "latest") -> Run:
    write_demand(whole(found), tmp_path / "later.json")
    return settle_prediction(ctx, SettleRequest(run=run, demand=str(tmp_path / "later.json")))


def settlement_of(run: Run) -> Settlement:
    assert run.settlement is not None
    return run.settlement


def minute(reads: float, mean_us: float | None, begin: datetime = LATER) -> list[DemandInterval]:
    return [second(begin, n, reads * (1 + 0.02 * (n % 3)), mean_us) for n in range(60)]


def saturated(reads: float = 520.0) -> list[DemandInterval]:
    """The number in flight doubles, and no more comes of it."""
    return [second(LATER, n, reads, 4000.0 * (1 + n / 10)) for n in range(60)]


def test_a_database_that_runs_as_it_was_predicted_to(ctx: Context, tmp_path: Path) -> None:
    run = predicted(ctx, tmp_path)
    assert run.verdict is not None
    assert run.verdict.carries is True
    found = settled(ctx, tmp_path, minute(LOAD, MEAN_US))
    what = settlement_of(found)
    assert (what.as_predicted, what.predicted_run, what.load_stayed) == (True, run.id, True)
    (reads,) = what.classes
    assert reads.latency_us_predicted == pytest.approx(MEAN_US, rel=0.05), "what the queue's law says"
    assert what.error_share == pytest.approx(0, abs=0.05)
    assert what.error_of == "mean latency of small reads"
    assert what.objective == "unknown", "a mean of 667 µs proves no p99 of 5 ms"
    assert "whether the objective itself holds they do not say" in what.reason
    assert status(found) == 0
    assert ctx.store.load(found.id) == found
    assert found.target == run.target


def test_means_that_are_short_enough_prove_the_objective(ctx: Context, tmp_path: Path) -> None:
    predicted(ctx, tmp_path)
    what = settlement_of(settled(ctx, tmp_path, minute(LOAD, 45.0)))
    assert (what.as_predicted, what.objective) == (True, "held")
    assert "surely holds" in what.reason


def test_a_storage_that_holds_the_database_back_refutes_a_yes(ctx: Context, tmp_path: Path) -> None:
    run = predicted(ctx, tmp_path)
    found = settled(ctx, tmp_path, saturated())
    what = settlement_of(found)
    assert what.as_predicted is False
    assert what.held_back.is_held_back is True
    assert what.observed_at_least is False
    assert run.verdict is not None
    assert what.observed_headroom == pytest.approx(520 / LOAD)
    assert what.error_of == "headroom"
    assert what.error_share == pytest.approx((run.verdict.headroom or 0) / (520 / LOAD) - 1)
    assert status(found) == 1
    assert answer(found).startswith("not as predicted: load × 1.04, held back")


def test_the_same_bears_a_no_out(ctx: Context, tmp_path: Path) -> None:
    run = predicted(ctx, tmp_path, slo="p99=2500us")
    assert run.verdict is not None
    assert run.verdict.carries is False
    assert settlement_of(settled(ctx, tmp_path, saturated(), run.id)).as_predicted is True
    refuted = settlement_of(settled(ctx, tmp_path, minute(LOAD, 20.0), run.id))
    assert (refuted.objective, refuted.as_predicted) == ("held", False)
    open_still = settlement_of(settled(ctx, tmp_path, minute(LOAD, MEAN_US), run.id))
    assert open_still.as_predicted is None, "means that are as predicted are those of a no as well"


def test_twice_the_load_was_not_what_was_predicted(ctx: Context, tmp_path: Path) -> None:
    run = predicted(ctx, tmp_path)
    what = settlement_of(settled(ctx, tmp_path, minute(2 * LOAD, 1000.0)))
    assert (what.as_predicted, what.load_stayed) == (None, False)
    assert what.load_ratio == pytest.approx(2.0, rel=0.03)
    assert "the prediction was for another load" in what.reason
    more = settlement_of(settled(ctx, tmp_path, saturated(2 * LOAD), run.id))
    assert more.as_predicted is None, "it is held back, and by twice what was judged"


def test_half_the_load_that_runs_well_proves_nothing_and_half_that_does_not_refutes(
    ctx: Context, tmp_path: Path
) -> None:
    run = predicted(ctx, tmp_path)
    assert settlement_of(settled(ctx, tmp_path, minute(LOAD / 2, 20.0), run.id)).as_predicted is None
    half = [second(LATER, n, 250.0, 8000.0 * (1 + n / 10)) for n in range(60)]
    assert settlement_of(settled(ctx, tmp_path, half, run.id)).as_predicted is False


def test_more_ios_of_other_classes_are_not_the_load_that_was_judged(ctx: Context, tmp_path: Path) -> None:
    """A no for forced redo was called refuted by five times as many reads, without any redo."""
    run = predicted(ctx, tmp_path, slo="p99=2500us")
    quick = ClassDemand(
        ops_per_s=5 * LOAD, bytes_per_s=5 * LOAD * 8192, latency_us_mean=20.0, source="counters"
    )
    none = ClassDemand(ops_per_s=0.0, bytes_per_s=0.0, source="counters")
    other = [
        one.model_copy(update={"classes": {"small_read": none, "small_write": quick}})
        for one in minute(5 * LOAD, 20.0)
    ]
    what = settlement_of(settled(ctx, tmp_path, other, run.id))
    assert (what.as_predicted, what.load_stayed) == (None, False)
    assert "another load, 0.00 to 5.1" in what.reason
    reads = next(one for one in what.classes if one.name == "small_read")
    assert (reads.later_per_s, reads.latency_us_observed) == (0.0, None)


def test_longer_means_do_not_prove_a_miss(ctx: Context, tmp_path: Path) -> None:
    predicted(ctx, tmp_path)
    found = settled(ctx, tmp_path, minute(LOAD, 3 * MEAN_US))
    what = settlement_of(found)
    assert (what.as_predicted, what.objective) == (None, "unknown")
    assert what.error_share == pytest.approx(-2 / 3, abs=0.05)
    assert "longer than predicted" in what.reason
    assert status(found) == 5


def test_without_times_it_cannot_be_settled(ctx: Context, tmp_path: Path) -> None:
    predicted(ctx, tmp_path)
    what = settlement_of(settled(ctx, tmp_path, minute(LOAD, None)))
    assert (what.as_predicted, what.error_share) == (None, None)
    assert "neither how long its I/Os took nor how many sessions waited for them is known" in what.reason


def test_an_earlier_demand_settles_nothing(ctx: Context, tmp_path: Path) -> None:
    predicted(ctx, tmp_path)
    what = settlement_of(settled(ctx, tmp_path, minute(LOAD, MEAN_US, START)))
    assert what.as_predicted is None
    assert "before the prediction" in what.reason


def test_gaps_alone_settle_nothing(ctx: Context, tmp_path: Path) -> None:
    predicted(ctx, tmp_path)
    none: dict[str, Any] = {"gap": "restarted", "classes": {}, "iops": None, "mb_per_s": None}
    what = settlement_of(settled(ctx, tmp_path, [minute(LOAD, 1.0)[0].model_copy(update=none)]))
    assert what.as_predicted is None
    assert "no interval is known" in what.reason


def test_days_to_come_settle_nothing(ctx: Context, tmp_path: Path) -> None:
    predicted(ctx, tmp_path)
    found = settled(ctx, tmp_path, minute(LOAD, MEAN_US, TODAY + timedelta(days=1)))
    assert settlement_of(found).as_predicted is None
    assert "which is still to come" in settlement_of(found).reason
    assert status(found) == 5


def test_another_database_settles_nothing(ctx: Context, tmp_path: Path) -> None:
    predicted(ctx, tmp_path)
    other = whole(minute(LOAD, MEAN_US)).model_copy(
        update={"database": database(name="stock", direct_io=None)}
    )
    write_demand(other, tmp_path / "other.json")
    later = str(tmp_path / "other.json")
    run = settle_prediction(ctx, SettleRequest(run="latest", demand=later))
    assert settlement_of(run).as_predicted is None
    assert "the later demand is of stock (postgresql): another database" in settlement_of(run).reason
    assert status(run) == 5
    same = settle_prediction(
        ctx, SettleRequest(run=settlement_of(run).predicted_run, demand=later, renamed=True)
    )
    assert settlement_of(same).as_predicted is True
    assert {"settle-another-database", "settle-cached-reads"} <= {note.code for note in same.notes}
    kind = other.model_copy(update={"database": database(kind="mariadb")})
    write_demand(kind, tmp_path / "kind.json")
    asked = SettleRequest(
        run=settlement_of(run).predicted_run, demand=str(tmp_path / "kind.json"), renamed=True
    )
    assert settlement_of(settle_prediction(ctx, asked)).as_predicted is None


def test_a_run_without_a_verdict_is_no_prediction(ctx: Context, tmp_path: Path) -> None:
    run = predicted(ctx, tmp_path)
    ctx.store.save(run.model_copy(update={"id": "no-verdict", "verdict": None}))
    with pytest.raises(UsageError) as refused:
        settled(ctx, tmp_path, minute(LOAD, MEAN_US), "no-verdict")
    assert refused.value.id == "prediction-none"


def test_predictions_are_listed_with_what_became_of_them(ctx: Context, tmp_path: Path) -> None:
    first = predicted(ctx, tmp_path)
    at_first = settled(ctx, tmp_path, minute(LOAD, MEAN_US), first.id)
    second_one = predicted(ctx, tmp_path)
    last = settled(ctx, tmp_path, saturated(), first.id)
    newest, oldest, before = predictions(ctx)
    assert (newest.run, newest.state, newest.error_share) == (second_one.id, "open", None)
    assert (oldest.run, oldest.state, oldest.settled_by) == (first.id, "not as predicted", last.id)
    assert (oldest.predicted, oldest.database, oldest.target) == ("carries", "shop", QUEUE)
    assert oldest.error_share == settlement_of(last).error_share
    assert oldest.settled_at == last.started_at
    assert (before.run, before.state, before.settled_by) == (first.id, "as predicted", at_first.id)
    assert [one.run for one in predictions(ctx, limit=1)] == [second_one.id]


def test_the_command_line_settles_and_lists(
    ctx: Context, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = predicted(ctx, tmp_path)
    open_store().save(run)
    write_demand(whole(minute(LOAD, MEAN_US)), tmp_path / "later.json")
    assert command(["settle", run.id, "--demand", str(tmp_path / "later.json"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["kind"] == "settle"
    assert document["data"]["as_predicted"] is True
    assert command(["settle", run.id, "--demand", str(tmp_path / "later.json")]) == 0
    assert "Settled: as predicted" in capsys.readouterr().out
    assert command(["store", "predictions", "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)["data"]["predictions"]
    assert [(line["run"], line["state"]) for line in lines] == 2 * [(run.id, "as predicted")]


def test_a_page_and_a_terminal_show_it(ctx: Context, tmp_path: Path) -> None:
    predicted(ctx, tmp_path)
    run = settled(ctx, tmp_path, minute(LOAD, MEAN_US))
    kind = kinds()["settlement"]
    assert kind.blocks is not None
    assert [block.kind for block in kind.blocks(run)] == ["words", "pairs", "pairs", "grid"]
