"""Every truth check by the same rules: what it says of itself, how it names its verdict, and that what is virtual is not judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import facts_builder
from plimsoll.base.errors import UsageError
from plimsoll.facts import Cell
from plimsoll.supply import checks
from plimsoll.supply.checks import Active, Passive
from simulated_cells import Scripted, failed_check, measured

NAMES = checks.names()
PASSIVE = [name for name in NAMES if isinstance(checks.load(name), Passive)]
ACTIVE = [name for name in NAMES if isinstance(checks.load(name), Active)]


def test_there_are_checks_of_both_kinds() -> None:
    assert {"bounds", "host-noise", "tool-bound", "coverage"} <= set(PASSIVE)
    assert "cached" in ACTIVE


@pytest.mark.parametrize("name", NAMES)
def test_a_check_says_what_it_means_when_it_passes_and_how_it_is_made(name: str) -> None:
    entry = checks.load(name)
    assert entry.title
    assert not entry.title.endswith(".")
    assert len(entry.help) > 80
    assert entry.help.endswith(".")


def as_if_real(journals: Path, **changes: Any) -> Cell:
    """A simulated cell that says of itself that it was made with io_uring."""
    cell, _ = measured(journals, "sim:mean=100us,servers=4", runtime_s=0.2)
    return cell.model_copy(update={"engine": "io_uring", "groups": (), **changes})


@pytest.mark.parametrize("name", PASSIVE)
@pytest.mark.parametrize("direct", [True, False])
def test_a_verdict_bears_the_name_of_its_check_and_says_why(tmp_path: Path, name: str, direct: bool) -> None:
    cell = as_if_real(tmp_path, direct=direct)
    entry = checks.load(name)
    assert isinstance(entry, Passive)
    check = entry.judge(cell, facts_builder.target())
    if check is not None:
        assert check.name == name.replace("-", "_")
        assert len(check.reason) > 15
        assert not check.reason.endswith(".")


@pytest.mark.parametrize("name", ACTIVE)
def test_an_active_verdict_bears_the_name_of_its_check(name: str) -> None:
    entry = checks.load(name)
    assert isinstance(entry, Active)
    check = entry.judge(Scripted(latency_us=lambda asked: 100.0))
    assert check is not None
    assert check.name == name.replace("-", "_")
    assert check.passed is not False


@pytest.mark.parametrize("name", PASSIVE)
def test_what_settles_a_check_is_an_active_one(name: str) -> None:
    entry = checks.load(name)
    assert isinstance(entry, Passive)
    assert entry.settled_by is None or entry.settled_by.replace("_", "-") in ACTIVE


def test_virtual_time_is_blamed_on_no_processor_and_no_wire(tmp_path: Path) -> None:
    cell, target = measured(tmp_path, "sim:mean=1us,servers=64", runtime_s=0.1)
    found = {check.name for check in checks.passive_checks(cell, target)}
    assert found <= {"at_work", "bimodal", "cliff", "drift", "errors", "stalls"}
    assert "errors" in found


def test_several_targets_are_one_span_behind_no_single_wire() -> None:
    one = facts_builder.target()
    assert checks.joined([one]) == one
    both = checks.joined([one, one])
    assert (both.span_bytes, both.device) == (2 * one.span_bytes, None)


def test_an_unknown_verdict_that_fails_decides() -> None:
    steady = failed_check("steady")
    assert checks.deciding([steady]) == (steady,)


def test_noise_and_two_speeds_warn_and_do_not_decide() -> None:
    warned = [failed_check(name) for name in ("host_noise", "bimodal", "drift", "punted")]
    assert checks.deciding(warned) == ()


def test_what_is_open_or_passed_never_decides() -> None:
    failed = failed_check("bounds")
    others = [failed.model_copy(update={"passed": passed}) for passed in (True, None)]
    assert checks.deciding([*others, failed]) == (failed,)


def test_an_open_question_is_gone_once_an_active_check_has_answered_it(tmp_path: Path) -> None:
    cell = as_if_real(tmp_path, direct=False)
    target = facts_builder.target()
    before = {check.name: check.passed for check in checks.with_checks(cell, target).checks}
    assert before["direct"] is None
    answer = failed_check("cached")
    after = [check.name for check in checks.with_checks(cell, target, [answer]).checks]
    assert "direct" not in after
    assert after[-1] == "cached"
    no_answer = answer.model_copy(update={"passed": None})
    assert "direct" in [check.name for check in checks.with_checks(cell, target, [no_answer]).checks]


def test_an_unknown_check_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="no check is called 'luck'") as caught:
        checks.load("luck")
    assert caught.value.id == "check-unknown"
    assert "cached" in (caught.value.hint or "")
