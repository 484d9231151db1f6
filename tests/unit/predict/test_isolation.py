"""Ratios of trials within their rounds, with intervals, what they amount to, and what makes trials say nothing."""

from __future__ import annotations

from math import exp, log
from statistics import fmean, stdev
from typing import Any

import pytest

from facts_isolation import KINDS, SPREAD, noise_seen, trial, trials, with_policies
from plimsoll.facts import IsolationTrial, Ratio
from plimsoll.predict.isolation import answer_of, effect_of, iops, p99_us, policy_effect, ratio_of
from plimsoll.predict.isolation_checks import wrong_in

STUDENT_95_OF_3 = 3.182446305284263
"""Of three degrees of freedom, from a table."""


def _pairs(*ratios: float) -> list[IsolationTrial]:
    """Rounds that have little in common but their ratio."""
    found = []
    for at, ratio in enumerate(ratios, 1):
        alone = 100.0 * at**2
        found += [trial(at, "sliced", None, alone), trial(at, "sliced", "cpu", alone * ratio)]
    return found


def _ratio(found: list[IsolationTrial]) -> Ratio:
    return ratio_of(found, ("sliced", "cpu", None), ("sliced", None, None), p99_us)


def test_the_ratio_is_of_trials_of_one_round_with_students_interval_of_its_logarithms() -> None:
    ratios = (2.0, 2.2, 1.9, 2.4)
    found = _ratio(_pairs(*ratios))
    logs = [log(one) for one in ratios]
    half = STUDENT_95_OF_3 * stdev(logs) / 2
    assert found.ratio == pytest.approx(exp(fmean(logs)))
    assert found.ci95 == pytest.approx((exp(fmean(logs) - half), exp(fmean(logs) + half)))
    assert (found.rounds, found.told) == (4, "more")


def test_two_rounds_have_a_ratio_and_no_interval_and_none_have_nothing() -> None:
    assert _ratio(_pairs(2.0, 3.0)).ci95 is None
    assert _ratio(_pairs(2.0, 3.0)).told == "unknown"
    assert _ratio([]) == Ratio(ratio=None)


def test_a_round_of_which_half_is_missing_or_failed_does_not_count() -> None:
    whole = _pairs(2.0, 2.0, 2.0)
    assert whole[0].cell is not None
    failed = whole[0].cell.model_copy(update={"errors": 1})
    assert _ratio(whole[1:]).rounds == 2
    assert _ratio([whole[0].but(cell=failed), *whole[1:]]).rounds == 2


@pytest.mark.parametrize(
    ("ratio", "told"),
    [
        ((0.5, 0.9), "less"),
        ((0.5, 1.0), "unknown"),
        ((1.0, 1.5), "unknown"),
        ((1.01, 1.5), "more"),
        ((0.9, 1.1), "unknown"),
    ],
)
def test_an_interval_that_includes_1_tells_nothing(ratio: tuple[float, float], told: str) -> None:
    assert Ratio(ratio=sum(ratio) / 2, ci95=ratio, rounds=3).told == told


def test_slices_help_where_p99_beside_noise_is_lower_in_them() -> None:
    effects = [effect_of(trials(), kind, is_claimed=True) for kind in KINDS]
    assert [one.answer for one in effects] == ["slices help", "slices help"]
    assert answer_of(effects) == "slices help"
    cpu = effects[0]
    assert cpu.p99_unsliced.ratio == pytest.approx(4.0, rel=0.02)
    assert cpu.p99_sliced.ratio == pytest.approx(530 / 510, rel=0.02)
    assert cpu.p99_helped.ratio == pytest.approx(530 / 2_000)
    assert cpu.iops_helped.ratio == pytest.approx(2_000 / 530)


def _four(bare: float, bare_noise: float, within: float, within_noise: float) -> list[IsolationTrial]:
    """Rounds with the figures of all four trials; noise differs a little from round to round."""
    return [
        one
        for at, factor in enumerate(SPREAD, 1)
        for one in (
            trial(at, "unsliced", None, bare),
            trial(at, "unsliced", "cpu", bare_noise * factor),
            trial(at, "sliced", None, within),
            trial(at, "sliced", "cpu", within_noise * factor),
        )
    ]


@pytest.mark.parametrize(
    ("p99", "answer"),
    [
        ((500.0, 2_000.0, 8_000.0, 8_000.0), "slices help"),
        ((500.0, 2_000.0, 250.0, 1_000.0), "slices do not help"),
        ((500.0, 2_000.0, 500.0, 2_008.0), "slices do not help"),
        ((500.0, 2_000.0, 500.0, 1_700.0), "slices help"),
        ((500.0, 500.0, 500.0, 800.0), "slices do not help"),
        ((500.0, 510.0, 500.0, 500.0), "cannot tell"),
    ],
)
def test_slices_are_judged_by_the_noise_that_they_keep_off_and_not_by_what_they_cost(
    p99: tuple[float, float, float, float], answer: str
) -> None:
    found = effect_of(_four(*p99), "cpu", is_claimed=True)
    assert found.answer == answer
    bare, bare_noise, within, within_noise = p99
    assert found.p99_kept_off.ratio == pytest.approx(within_noise / within / (bare_noise / bare))


@pytest.mark.parametrize(("within", "within_noise"), [(450.0, 450.0), (500.0, 502.0), (8_000.0, 8_000.0)])
def test_noise_that_did_nothing_leaves_open_whether_slices_help(within: float, within_noise: float) -> None:
    made = [
        one.but(round_number=at)
        for at in range(1, 4)
        for one in _four(500.0, 500.0, within, within_noise)[:4]
    ]
    found = effect_of(made, "cpu", is_claimed=True)
    assert found.answer == "the noise did nothing"
    assert answer_of([found]) == "cannot tell"
    assert answer_of([found, found.but(answer="slices help")]) == "cannot tell"


def test_of_several_kinds_each_has_to_be_surer() -> None:
    found = [
        one
        for at, within_noise in enumerate((300.0, 500.0, 850.0, 500.0), 1)
        for one in (
            trial(at, "unsliced", None, 500.0),
            trial(at, "unsliced", "cpu", 1_000.0),
            trial(at, "sliced", None, 500.0),
            trial(at, "sliced", "cpu", within_noise),
        )
    ]
    one, several = (effect_of(found, "cpu", True, kinds) for kinds in (1, 4))
    assert (one.answer, several.answer) == ("slices help", "cannot tell")
    assert one.p99_kept_off == several.p99_kept_off


def test_a_round_without_all_four_trials_says_nothing_of_what_is_kept_off() -> None:
    made = _four(500.0, 2_000.0, 500.0, 510.0)
    assert effect_of(made[1:], "cpu", is_claimed=True).p99_kept_off.rounds == len(SPREAD) - 1


def test_nothing_is_claimed_where_nothing_may_be_and_the_ratios_stand_all_the_same() -> None:
    claimed, not_claimed = (effect_of(trials(), "cpu", is_claimed=one) for one in (True, False))
    assert not_claimed == claimed.but(answer="cannot tell")
    assert answer_of([not_claimed]) == "cannot tell"


def test_one_kind_against_which_slices_do_not_help_says_no_and_an_unknown_one_leaves_it_open() -> None:
    helps = effect_of(trials(), "cpu", is_claimed=True)
    harms, unknown = helps.but(answer="slices do not help"), helps.but(answer="cannot tell")
    assert answer_of([helps, harms, unknown]) == "slices do not help"
    assert answer_of([helps, unknown]) == "cannot tell"
    assert answer_of([]) == "cannot tell"


def test_slices_in_which_it_is_slower_beside_noise_do_not_help() -> None:
    swapped = [one.but(stand="sliced" if one.stand == "unsliced" else "unsliced") for one in trials()]
    assert effect_of(swapped, "cpu", is_claimed=True).answer == "slices do not help"


def test_a_policy_is_held_against_none_and_its_trials_are_no_part_of_the_rest() -> None:
    made = with_policies()
    found = policy_effect(made, "interleave")
    assert found.p99.ratio == pytest.approx(1.2, rel=0.02)
    assert (found.p99.told, found.p99.rounds) == ("more", len(SPREAD))
    assert effect_of(made, "cpu", is_claimed=True) == effect_of(trials(), "cpu", is_claimed=True)
    assert iops(made[-1]) == pytest.approx(1e7 / (600 * SPREAD[-1]))


def _codes(*made: IsolationTrial) -> set[str]:
    return {one.code for one in wrong_in(made)}


def test_trials_in_which_all_is_as_it_should_be_have_no_findings() -> None:
    assert _codes(*with_policies()) == set()


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"in_group": False}, "measurement-outside"),
        ({"samples_outside": 1}, "measurement-elsewhere"),
        ({"samples": 0}, "measurement-unseen"),
        ({"others_cpu_s": 1.0}, "noise-others"),
        ({"noise": noise_seen("cpu", in_group=False)}, "noise-outside"),
        ({"noise": noise_seen("cpu", samples_outside=2)}, "noise-elsewhere"),
        ({"noise": noise_seen("cpu", done=0.0)}, "noise-absent"),
        ({"noise": noise_seen("cpu", cpu_s=1.0)}, "noise-absent"),
        ({"noise": noise_seen("disk", done=0.0)}, "noise-absent"),
        ({"noise": noise_seen("disk", ended_early=1)}, "noise-absent"),
        ({"noise": noise_seen("network", still_s=1.5)}, "noise-absent"),
        ({"noise": noise_seen("disk", still_s=None)}, "noise-absent"),
    ],
)
def test_what_was_not_as_it_should_be_is_found(more: dict[str, Any], code: str) -> None:
    assert _codes(*trials(), trial(5, "sliced", "cpu", 500.0, **more)) == {code}


def test_p99_of_less_than_a_hundred_ios_is_none() -> None:
    one = trial(1, "sliced", None, 500.0)
    assert one.cell is not None
    cell = one.cell
    few, enough = (one.but(cell=cell.model_copy(update={"ios": ios})) for ios in (99, 100))
    assert (_codes(few), _codes(enough)) == ({"measurement-few"}, set())


def test_noise_of_disks_needs_no_cpu_to_count() -> None:
    assert _codes(trial(1, "sliced", "disk", 500.0, noise=noise_seen("disk", cpu_s=0.0))) == set()


def test_a_finding_says_of_how_many_trials_it_is() -> None:
    wrong = [one.but(in_group=False) for one in trials()[:2]]
    (found,) = wrong_in([*wrong, *trials()[2:]])
    assert found.message == "the measurement was not in its control group (in 2 of 24 trials)"
