"""Trials of `plimsoll host slice prove`: which are kept where one of them fails, or somebody wants them to end."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import facts_isolation
from plimsoll.base.errors import Interrupted, WorldError
from plimsoll.context import Cancel
from plimsoll.facts import IsolationTrial
from plimsoll.flows import host_slice_trials
from plimsoll.flows.host_slice_io import IoWork
from plimsoll.flows.host_slice_slob import SlobWork
from plimsoll.flows.host_slice_trials import Job, Made, make_trials
from plimsoll.host.noise import NoisePlace
from plimsoll.placement.slices.proving import Places, others_at_work
from plimsoll.predict.isolation import Key
from plimsoll.proof.slob.parameters import SlobParameters

KEYS: tuple[Key, ...] = (("sliced", None, None), ("unsliced", None, None))


class _Context:
    """As much of a context as trials need that are not made."""

    def __init__(self) -> None:
        self.cancel = Cancel()

    def progress(self, *_: object) -> None:
        pass


class _Job:
    rounds, seed, keys = 3, 7, KEYS


def _trials(monkeypatch: pytest.MonkeyPatch, made_one: Callable[[int, _Context], IsolationTrial]) -> Made:
    context = _Context()

    def trial(_ctx: Any, _job: Any, _key: Key, _round: int, number: int, _notes: Any) -> IsolationTrial:
        return made_one(number, context)

    monkeypatch.setattr(host_slice_trials, "_trial", trial)
    return make_trials(cast(Any, context), cast(Job, _Job()))


def _good(ended_early: str = "") -> IsolationTrial:
    found = facts_isolation.trial(1, "sliced", None, 500.0)
    assert found.cell is not None
    return found.but(cell=found.cell.model_copy(update={"ended_early": ended_early}))


def test_all_are_made_where_none_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    made = _trials(monkeypatch, lambda number, _: _good())
    assert (len(made.trials), made.notes) == (6, [])


def test_what_was_made_before_a_failure_is_kept_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(number: int, _: _Context) -> IsolationTrial:
        if number == 4:
            raise WorldError("noise-failed", "a process of the noise ended", "See why.")
        return _good()

    made = _trials(monkeypatch, fails)
    (note,) = made.notes
    assert (len(made.trials), note.code) == (4, "prove-failed")
    assert "round 3 of 3" in note.message
    assert "a process of the noise ended" in note.message


def test_a_failure_of_the_first_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(number: int, _: _Context) -> IsolationTrial:
        raise WorldError("noise-failed", "a process of the noise ended", "See why.")

    with pytest.raises(WorldError):
        _trials(monkeypatch, fails)


def test_a_trial_that_ended_early_is_the_last_one(monkeypatch: pytest.MonkeyPatch) -> None:
    made = _trials(monkeypatch, lambda number, _: _good("errors" if number == 2 else ""))
    assert (len(made.trials), [note.code for note in made.notes]) == (3, ["prove-failed"])


def test_a_wish_to_end_while_noise_begins_keeps_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(number: int, context: _Context) -> IsolationTrial:
        if number == 3:
            context.cancel.set()
            raise Interrupted
        return _good()

    made = _trials(monkeypatch, cut)
    assert (len(made.trials), made.notes) == (3, [])


def test_noise_that_did_not_end_is_told() -> None:
    class _Left:
        kind, left = "disk", [12, 13]

    notes: list[Any] = []
    host_slice_trials._tell_left(cast(Any, _Left()), notes)
    assert [(one.code, "process 12, 13" in one.message) for one in notes] == [("noise-left", True)]


def test_noise_beside_a_server_has_no_end_of_its_own_and_beside_io_a_late_one() -> None:
    """Checkpoints of a server may take longer than any trial of I/O."""
    seconds: list[float | None] = []
    nothing, plan = cast(Any, None), cast(Any, SimpleNamespace(runtime_s=2.0, warm_up_s=1.0))
    server = SlobWork(nothing, SlobParameters(run_time_s=60.0), nothing, is_client_inside=False)
    for work in (server, IoWork(plan, nothing, frozenset(), frozenset())):
        job = Job(work, None, _places(), KEYS, 3, 7, 1 << 20)
        seconds.append(host_slice_trials._order(job, "cpu", 1).seconds_max)
    assert seconds == [None, 3.0 + host_slice_trials._LONGER_S]


def _places(*quiet: Path) -> Places:
    nowhere = NoisePlace((), frozenset({0}))
    return Places(nowhere, nowhere, None, quiet)


def test_others_are_looked_for_in_each_quiet_group_and_are_unknown_where_one_is_not_read(
    tmp_path: Path,
) -> None:
    (tmp_path / "cgroup.procs").write_text(f"{os.getpid()}\n{os.getppid()}\n")
    found = others_at_work(_places(tmp_path), [os.getppid()])
    assert found is not None
    assert set(found.used) == {os.getpid()}
    assert others_at_work(_places(tmp_path, tmp_path / "gone"), []) is None
