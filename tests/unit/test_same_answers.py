"""A verb typed and its function in Python ask the same, and measure the same where a seed is given; without one both draw anew."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import facts_builder
import plimsoll
from plimsoll.base.errors import WorldError
from plimsoll.cli.main import run
from plimsoll.facts import Plan, Run
from plimsoll.facts.document import document_of
from plimsoll.store import open_store

pytestmark = pytest.mark.slow

SIM = "sim:mean=1ms,servers=4"
VERBS: dict[str, tuple[Callable[..., Any], list[str], dict[str, Any]]] = {
    "io": (
        plimsoll.measure,
        ["--rate", "2k", "--arrivals", "uniform", "--runtime", "1s", "--block", "4k"],
        {"rate": 2000, "arrivals": "uniform", "runtime": 1, "block": 4096},
    ),
    "line": (
        plimsoll.line,
        ["--slo", "p99=10ms", "--trial", "500ms", "--repeats", "2", "--block", "16k"],
        {"slo": "p99=10ms", "trial": 0.5, "repeats": 2, "block": 16384},
    ),
    "shapes": (
        plimsoll.shapes,
        ["--only", "scans,oltp-readers", "--rate", "oltp-readers=200", "--runtime", "500ms"],
        {"only": ["scans", "oltp-readers"], "rate": {"oltp-readers": 200.0}, "runtime": 0.5},
    ),
    "calibrate": (
        plimsoll.calibrate,
        ["--shape", "oltp", "--disks", "1", "--runtime", "100ms"],
        {"shape": "oltp", "disks": 1, "runtime": 0.1},
    ),
    "calibrate --like calibrate-io": (
        plimsoll.calibrate_io,
        ["--disks", "1", "--runtime", "100ms", "--repeats", "2"],
        {"disks": 1, "runtime": 0.1, "repeats": 2},
    ),
    "calibrate --working-sets 16m,32m": (
        plimsoll.working_sets,
        ["--runtime", "100ms", "--repeats", "2"],
        {"working_sets": [16 << 20, 32 << 20], "runtime": 0.1, "repeats": 2},
    ),
    "calibrate --ladder": (
        plimsoll.ladder,
        ["--runtime", "100ms", "--repeats", "2"],
        {"runtime": 0.1, "repeats": 2},
    ),
    "assess --target": (
        plimsoll.assess,
        ["--demand", "shop.json", "--trial", "100ms", "--repeats", "2", "--size", "16m"],
        {"demand": "shop.json", "trial": 0.1, "repeats": 2, "size": 16 << 20},
    ),
}
"""Every verb that measures storage, with the same words for both."""


@pytest.fixture(autouse=True)
def _beside_a_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from plimsoll.flows.demand import write_demand

    monkeypatch.chdir(tmp_path)
    write_demand(facts_builder.demand(), Path("shop.json"))


def typed(verb: str, target: str, *words: str) -> int:
    """The exit status of the command."""
    return run([*verb.split(), *_targets(verb, target), *words, "--json", "--store", "typed.db"])


def called(verb: str, target: str, **given: int) -> Any:
    """The function's result, in a store of its own."""
    function, _, words = VERBS[verb]
    targets = {"targets": _targets(verb, target)} if "calibrate" in verb else {"target": target}
    return function(**targets, **words, **given, store="called.db")


def _targets(verb: str, target: str) -> list[str]:
    """A ladder takes two: simulated ones may be alike, and beside a file there is another."""
    if "--ladder" not in verb:
        return [target]
    return [target, target if target.startswith("sim:") else f"{target}2"]


@pytest.mark.parametrize("verb", VERBS)
def test_with_a_seed_both_ask_and_find_the_same(verb: str) -> None:
    assert typed(verb, SIM, *VERBS[verb][1], "--seed", "3") in (0, 1)
    called(verb, SIM, seed=3)
    by_words, by_call = (open_store(place).load("latest") for place in ("typed.db", "called.db"))
    assert by_words.request == by_call.request
    assert by_words.request is not None
    assert by_words.request.words["seed"] == 3
    assert found(by_words) == found(by_call)
    assert found(called(verb, SIM, seed=4).run) != found(by_call)


def found(made: Run) -> Any:
    """What was found, without what it cost: CPU time is the machine's, also where the time of I/Os is simulated."""
    document = document_of(made)
    return _without_costs(json.loads(document.text)["results"]), dict(document.blobs)


COSTS = {
    "started_at",
    "cpu_us_per_io",
    "cpu_s",
    "cpu_threads_s",
    "cpu_workers_s",
    "context_switches",
    "processor_wait_share",
    "host",
}


def _without_costs(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_costs(part) for name, part in value.items() if name not in COSTS}
    return [_without_costs(part) for part in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file that is only read, with another beside it."""
    path = tmp_path_factory.mktemp("filled") / "file"
    for name in ("file", "file2"):
        path.with_name(name).write_bytes(os.urandom(64 << 20))
    return str(path)


@pytest.mark.parametrize("verb", VERBS)
def test_without_a_seed_both_draw_anew(verb: str, filled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache on the way may still hold what an earlier run has read."""
    seeds: list[int] = []

    def refused(plan: Plan, *_: object) -> None:
        seeds.append(plan.seed)
        raise WorldError("tried", "the seed is known, and that is all that was wanted", "Go on.")

    # A demand writes, and to a file that somebody made nothing is written.
    target = "." if verb.startswith("assess") else filled
    monkeypatch.setattr("plimsoll.supply.engine.start", refused)
    for given in ({}, {}, {"seed": 7}):
        first = len(seeds)
        assert typed(verb, target, *VERBS[verb][1], *_as_words(given)) == 4
        with pytest.raises(plimsoll.PlimsollError, match="the seed is known"):
            called(verb, target, **given)
        assert len(seeds) == first + 2
    assert len(set(seeds)) == 5
    assert seeds[-1] == seeds[-2]


def _as_words(given: Mapping[str, int]) -> list[str]:
    return [word for name, value in given.items() for word in (f"--{name}", str(value))]
