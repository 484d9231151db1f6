"""`host slice apply` and `revert` that are killed, at any point: the next one finds the journal, and leaves all slices or none."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

import killed_slices
from slice_groups import TOP, listed, names_of_test, plan_file, two_slices
from zygote import Zygote, zygote

SEED, KILLS = 23, 20
PROGRAM = Path(killed_slices.__file__).read_text()


@pytest.fixture(scope="module")
def forks() -> Iterator[Zygote]:
    with zygote(PROGRAM) as made:
        yield made


start = pytest.fixture(names_of_test, name="start")


class Slices:
    """The commands of one test, on one plan."""

    def __init__(self, forks: Zygote, folder: Path, start: str) -> None:
        self._forks = forks
        self._journal = folder / "journal"
        self._plan = plan_file(folder, two_slices(start))

    def _run(self, at: int, *words: str) -> str:
        done = self._forks.started(str(at), "host", "slice", *words, "--journal", str(self._journal))
        return done.ended()

    def apply(self, at: int = 0) -> str:
        return self._run(at, "apply", self._plan, "--way", "cgroup-v1")

    def revert(self, at: int = 0) -> str:
        return self._run(at, "revert")

    def steps(self, said: str) -> int:
        """How many steps the command took."""
        assert "status 0 " in said, said
        return int(said.split()[-1])


@pytest.fixture
def slices(forks: Zygote, tmp_path: Path, start: str, monkeypatch: pytest.MonkeyPatch) -> Slices:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "runs.db"))
    return Slices(forks, tmp_path, start)


def _points(steps: int) -> list[int]:
    """Each another one, in an order that is always the same."""
    return random.Random(SEED).sample(range(1, steps + 1), KILLS)


def test_an_apply_that_was_killed_is_taken_back_or_made_anew(slices: Slices, start: str) -> None:
    steps = slices.steps(slices.apply())
    whole = listed(start)
    assert len(whole) >= 4
    slices.revert()
    half = 0
    for number, at in enumerate(_points(steps)):
        assert "status" not in slices.apply(at)
        half += listed(start) not in ({}, whole)
        if number % 2:
            assert "status 0 " in slices.apply() or "applied already" in slices.apply()
            assert listed(start) == whole, at
        slices.revert()
        assert listed(start) == {}, at
    assert half > KILLS // 2  # Or nothing of this was put to the test.


def test_a_revert_that_was_killed_is_taken_up_again(slices: Slices, start: str) -> None:
    slices.apply()
    steps = slices.steps(slices.revert())
    for at in random.Random(SEED).sample(range(1, steps + 1), steps // 2):
        slices.apply()
        assert "status" not in slices.revert(at)
        said = slices.revert()
        assert "status 0 " in said or "no slices are applied" in said
        assert listed(start) == {}, at


def test_a_group_of_somebody_else_that_came_after_the_kill_stays(slices: Slices, start: str) -> None:
    """It has the name of one that the killed apply had made, and somebody removed."""
    steps = slices.steps(slices.apply())
    slices.revert()
    slices.apply(steps - 4)
    first = next(iter(listed(start)))
    (TOP / first).rmdir()
    (TOP / first).mkdir()
    said = slices.revert()
    assert f"{TOP / first} is another group by now, and is left as it is" in " ".join(said.split())
    assert list(listed(start)) == [first]
