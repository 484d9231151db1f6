"""What proofs share: databases that stay, memory for a cache, and the storage's line beside a proof."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

import facts_builder
import facts_proofs
import facts_runs
from facts_builder import line
from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.facts import CpuUse, HostSecond, Line
from plimsoll.flows import prove, prove_slob
from plimsoll.flows.prove import Against, _beside, check_against, lasting_database
from plimsoll.flows.prove_slob import SlobProof
from plimsoll.proof.slob.parameters import parameters
from plimsoll.proof.statements import statements
from plimsoll.requests.proofs import EMBEDDED

BUSY_SECOND = HostSecond(
    start_s=0, duration_s=1, user_share=0.7, system_share=0.29, iowait_share=0, steal_share=0, idle_share=0.01
)
ALONE = CpuUse(server_share=0.7, own_share=0.25, others_share=0.04)


class Host(NamedTuple):
    """A machine, and who used it."""

    second: HostSecond
    use: CpuUse


CALM = Host(BUSY_SECOND.model_copy(update={"user_share": 0.1, "idle_share": 0.61}), ALONE)
BUSY = Host(BUSY_SECOND, ALONE)
BESIDE_OTHERS = Host(BUSY_SECOND, CpuUse(server_share=0.3, own_share=0.09, others_share=0.6))


def found(iops: float | None) -> Line:
    return line().model_copy(update={"line_iops": iops})


def test_an_embedded_database_holds_nothing_that_lasts(ctx: Context) -> None:
    with pytest.raises(UsageError) as refused:
        lasting_database(ctx, EMBEDDED, None)
    assert refused.value.id == "proof-embedded"


def test_a_cache_that_the_machine_has_no_room_for_is_refused() -> None:
    asked = SlobProof(EMBEDDED, parameters(scale=2**36), focus="logical")
    with pytest.raises(UsageError) as refused:
        prove_slob._server_settings(asked)
    assert refused.value.id == "slob-memory"


def test_only_a_cached_focus_takes_memory() -> None:
    small = prove_slob._server_settings(SlobProof(EMBEDDED, parameters(scale=2**36), focus="physical"))
    assert "shared_buffers" not in small
    cached = prove_slob._server_settings(SlobProof(EMBEDDED, parameters(scale=8192), focus="redo"))
    assert int(cached["shared_buffers"].removesuffix("MB")) >= 64


@pytest.mark.parametrize(
    ("predicted", "proved", "host", "limited_by", "error"),
    [
        (2000.0, 1000.0, CALM, "unknown", 1.0),
        (2000.0, 1000.0, BUSY, "database", 1.0),
        (2000.0, 1000.0, BESIDE_OTHERS, "unknown", 1.0),
        (2000.0, 1980.0, BUSY, "storage", 0.0101),
        (1000.0, 2000.0, BUSY, "storage", -0.5),
        (None, 1000.0, CALM, "unknown", None),
    ],
)
def test_the_error_of_a_prediction(
    predicted: float | None, proved: float, host: Host, limited_by: str, error: float | None
) -> None:
    proof = _proof().model_copy(update={"host_seconds": (host.second,), "cpu_use": host.use})
    made = _beside(Against("/data"), found(predicted), proved, proof)
    assert made.limited_by == limited_by
    assert made.error_share == (None if error is None else pytest.approx(error, rel=0.01))
    assert made.reason
    assert ("other programs had 60 % of the CPUs" in made.reason) == (host is BESIDE_OTHERS)


def test_without_a_demand_nothing_is_predicted(ctx: Context) -> None:
    assert prove.predicted(ctx, Against("/data"), _proof(), None).prediction.limited_by == "unknown"


def test_a_line_that_cannot_be_found_leaves_what_was_proved(ctx: Context) -> None:
    demand = facts_builder.demand()
    unmixed = demand.model_copy(update={"mean": demand.peak, "peak": None})
    found = prove._nothing(Against("/data"), "no line", unmixed).prediction
    assert demand.peak is not None
    assert (found.proved_iops, found.line_iops, found.error_share) == (demand.peak.iops, None, None)


def test_a_database_that_a_workload_was_not_written_for() -> None:
    with pytest.raises(UsageError) as refused:
        statements("sybase", "slob", "create")
    assert refused.value.id == "proof-unsupported"


def test_physical_reads_that_were_none_are_said() -> None:
    cached = facts_proofs.slob().model_copy(update={"logical_reads_per_s": 100.0, "cache_hits_per_s": 95.0})
    (note,) = prove_slob._cached("physical", cached)
    assert "95 % of the blocks were in the database's own cache" in note.message
    assert list(prove_slob._cached("logical", cached)) == []
    asked = cached.model_copy(update={"cache_hits_per_s": 50.0})
    assert list(prove_slob._cached("physical", asked)) == []


def test_a_sweep_keeps_what_its_proofs_have_in_common() -> None:
    runs = [facts_runs.prove_run(), facts_runs.prove_run()]
    assert runs[1].proof is not None
    other = runs[1].proof.model_copy(update={"settings": {**runs[1].proof.settings, "threads": "99"}})
    runs[1] = runs[1].model_copy(update={"proof": other})
    common = prove_slob._in_common(runs)
    assert common
    assert "threads" not in common
    assert prove_slob._in_common([]) == {}


def test_an_interrupted_proof_is_left_out_of_a_sweep_as_such() -> None:
    late = facts_runs.prove_run("late")
    assert late.proof is not None
    proof = late.proof.model_copy(update={"settings": {**late.proof.settings, "sessions": "4"}})
    (note,) = prove_slob._left_out([late.model_copy(update={"proof": proof, "interrupted": True})])
    assert "the proof with 4 sessions" in note.message
    assert note.message.endswith("is left out: it was interrupted")


def test_an_objective_or_target_that_cannot_be_is_refused_before_the_run() -> None:
    check_against(Against("sim:mean=100us", "p99=1ms"))
    with pytest.raises(UsageError):
        check_against(Against("/dev", "garbage"))
    with pytest.raises(UsageError) as refused:
        check_against(Against("/no/such/place", "p99=1ms"))
    assert refused.value.id == "target-missing"


def _proof() -> Any:
    from facts_runs import all_runs

    return all_runs()["prove_slob"].proof
