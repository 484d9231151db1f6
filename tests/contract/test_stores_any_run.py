"""Any run that its classes accept comes back from a store exactly, and the generator of such runs makes every part of them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

import facts_runs
from facts_strategy import facts, of_kind
from plimsoll.facts import Run
from plimsoll.facts.run import RESULTS
from plimsoll.store import SqlStore, new_run_id


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(run=facts(Run))
def test_any_run_comes_back_exactly(store: SqlStore, run: Run) -> None:
    named = run.model_copy(update={"id": new_run_id(datetime.now(UTC))})
    store.save(named)
    assert store.load(named.id) == named


@pytest.mark.parametrize("kind", RESULTS)
@settings(max_examples=3, suppress_health_check=[HealthCheck.data_too_large, HealthCheck.too_slow])
@given(data=st.data())
def test_the_strategy_makes_every_part_of_a_run(kind: str, data: st.DataObject) -> None:
    """Guards the property test above against a strategy that quietly makes nothing."""
    run = facts_runs.line_run()
    assert run.model_copy(update={"results": {kind: data.draw(of_kind(kind))}}).results[kind] is not None


def test_the_strategy_makes_runs_with_results() -> None:
    # Whole runs are large: the first one will do, and need not be made smaller.
    first = settings(
        phases=[Phase.generate], suppress_health_check=[HealthCheck.data_too_large, HealthCheck.too_slow]
    )
    assert find(facts(Run), lambda run: bool(run.results), settings=first).results
