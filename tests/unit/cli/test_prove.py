"""What the words of `plimsoll prove` mean, and the status that a proof ends with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import facts_proofs
import facts_runs
from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.base.limits import DEFAULT_SLO
from plimsoll.cli import verbs
from plimsoll.facts import Note
from plimsoll.flows.prove_slob import SlobProof, slob_proof
from plimsoll.requests.prove_slob import Focus, ProveSlobRequest
from plimsoll.results.proof import proof_status


def asked(focus: Focus, conf: Path | None = None, **words: Any) -> SlobProof:
    return slob_proof(ProveSlobRequest(focus=focus, conf=None if conf is None else str(conf), **words))


def test_the_focus_on_redo_updates_only(tmp_path: Path) -> None:
    assert asked("redo").parameters.update_pct == 100
    assert asked("redo", update_pct=100).parameters.update_pct == 100
    conf = tmp_path / "slob.conf"
    conf.write_text("UPDATE_PCT=25\n")
    found = asked("redo", conf)
    assert found.parameters.update_pct == 100
    assert [note.code for note in found.notes] == ["slob-focus"]
    assert asked("physical", conf).parameters.update_pct == 25


@pytest.mark.parametrize("words", [{"update_pct": 10}, {"more": ("UPDATE_PCT=10",)}])
def test_the_focus_on_redo_takes_no_other_share(words: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as refused:
        asked("redo", **words)
    assert refused.value.id == "slob-parameter"


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ({"threads": 4}, "THREADS_PER_SCHEMA"), ({"rate_per_s": 10.0}, "--rate"), ({"against": "/data"}, "--against"),
        ({"more": ("RATE_PER_S=10",)}, "--rate"), ({"more": ("NUM_THREADS=2",)}, "THREADS_PER_SCHEMA"),
    ],
)  # fmt: skip
def test_a_sweep_takes_nothing_that_it_sets_itself(words: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError) as refused:
        asked("physical", action="sweep", **words)
    assert refused.value.message == f"a sweep takes no {named}"


def test_the_objective_has_a_default() -> None:
    found = asked("physical", against="/data").against
    assert found is not None
    assert (found.target, found.slo) == ("/data", DEFAULT_SLO)


def test_every_verb_that_takes_an_objective_has_the_same_default() -> None:
    """Else a line that `line` finds and one that `prove --against` finds could not be held against each other."""
    found = {
        verb.request.verb: field.default_typed
        for verb in verbs.single()
        for field in verb.fields
        if field.asked.word == "slo"
    }
    assert found.keys() >= {"line", "assess", "demo", "prove slob", "prove order-entry"}
    assert set(found.values()) == {DEFAULT_SLO}, found


def test_a_sweep_passes_over_a_files_number_of_sessions(tmp_path: Path) -> None:
    conf = tmp_path / "slob.conf"
    conf.write_text("THREADS_PER_SCHEMA=8\nSCALE=16M\n")
    found = asked("physical", conf, action="sweep")
    assert (found.parameters.threads, found.parameters.scale) == (1, 2048)
    assert [note.code for note in found.notes] == ["slob-sweep"]


def test_statuses() -> None:
    proved, doubtful = facts_runs.prove_run(), facts_runs.prove_run("late")
    assert proof_status(proved) is ExitStatus.DONE
    assert proof_status(doubtful) is ExitStatus.ANSWER_IS_NO
    unpredicted = proved.model_copy(update={"prediction": facts_proofs.prediction_unknown()})
    assert proof_status(unpredicted) is ExitStatus.DONE_IN_PART
    lost = proved.model_copy(update={"notes": (Note(code="database-lost", message="it is gone"),)})
    assert proof_status(lost) is ExitStatus.WORLD_FAILED
    assert proof_status(lost.model_copy(update={"interrupted": True})) is ExitStatus.INTERRUPTED
    assert proof_status(facts_runs.sweep_run()) is ExitStatus.DONE


def test_a_lost_host_makes_a_proof_one_in_part_though_it_is_not_valid() -> None:
    run = facts_runs.prove_run("hosts_lost")
    assert run.proof is not None
    assert not run.proof.holds
    told = run.model_copy(update={"notes": (Note(code="host-lost", message="app2 was lost"),)})
    assert proof_status(told) is ExitStatus.DONE_IN_PART
    assert proof_status(told.model_copy(update={"interrupted": True})) is ExitStatus.INTERRUPTED
