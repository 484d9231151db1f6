"""Whether a line says that others were at work beside its trials, by the counters of the device."""

from __future__ import annotations

import pytest

from facts_builder import line
from plimsoll.facts import AtDevices, Line
from plimsoll.supply.sharing import with_sharing


def beside(others_bytes: int, after_bytes_per_s: float | None, of_trials: int = 100) -> Line:
    """A line in whose first trials the device moved more than we did."""
    found = line()
    trials = []
    for number, trial in enumerate(found.trials):
        more = others_bytes if number < of_trials else 0
        moved = AtDevices(
            devices=("vda",), reads=10_000, read_bytes=80_000_000, writes=0, write_bytes=0, device_reads=10_000 + more // 8192,
            device_read_bytes=80_000_000 + more, device_writes=0, device_write_bytes=0,
            others_bytes_per_s=after_bytes_per_s if more else None,
        )  # fmt: skip
        trials.append(trial.model_copy(update={"cell": trial.cell.model_copy(update={"at_devices": moved})}))
    return found.model_copy(update={"trials": tuple(trials)})


def test_others_in_most_trials_are_said() -> None:
    made = with_sharing(beside(23_000_000, 10e6))
    assert made.shared is not None
    assert made.shared.devices == ("vda",)
    assert made.shared.others_mb_per_s == pytest.approx(10.0, rel=0.1)
    assert made.shared.others_iops == pytest.approx(10e6 / 8192, rel=0.1)
    assert [note.code for note in made.notes].count("shared-storage") == 1


@pytest.mark.parametrize("of_trials", [2, 3, 4])
def test_others_in_a_few_trials_who_moved_much_are_said(of_trials: int) -> None:
    """95 MB of others in a quarter of the trials were told nowhere."""
    found = beside(23_000_000, 10e6, of_trials)
    assert of_trials < len(found.trials) / 3
    assert with_sharing(found).shared is not None


def test_others_beside_controls_are_said() -> None:
    found = beside(19_000_000, 20e6, 2)
    controls, trials = found.trials[:2], found.trials[2:]
    assert with_sharing(found.model_copy(update={"trials": trials, "controls": ()})).shared is None
    assert with_sharing(found.model_copy(update={"trials": trials, "controls": controls})).shared is not None


def test_what_the_page_cache_writes_after_a_trial_is_our_own() -> None:
    found = beside(23_000_000, 10e6)
    trials = [
        trial.model_copy(update={"cell": trial.cell.model_copy(update={"direct": False})})
        for trial in found.trials
    ]
    assert with_sharing(found.model_copy(update={"trials": tuple(trials)})).shared is None


@pytest.mark.parametrize(
    ("others_bytes", "after", "of_trials"),
    [
        (0, None, 100),
        (23_000_000, 0.0, 100),
        (23_000_000, None, 100),
        (23_000_000, 10e6, 1),
        (500_000, 10e6, 100),
    ],
    ids=["nobody", "quiet after it: our own", "nobody looked", "one trial", "too little"],
)
def test_what_may_be_chance_or_our_own_is_not(others_bytes: int, after: float | None, of_trials: int) -> None:
    assert with_sharing(beside(others_bytes, after, of_trials)).shared is None
