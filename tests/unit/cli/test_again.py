"""`plimsoll again`: what is kept of a request, and what comes of asking it once more."""

from __future__ import annotations

import importlib
import json
import pkgutil
from pathlib import Path
from typing import Any

import pytest

import facts_runs
from plimsoll import requests
from plimsoll.base.units import parse_bytes
from plimsoll.cli.main import run
from plimsoll.context import stored_request
from plimsoll.facts import StoredRequest
from plimsoll.requests.asked import Field, Request, fields_of
from plimsoll.store import open_store

_OTHERS = {"cgroups": "/system.slice", "by": "role"}
"""Words that not just any stands for."""
SECRET = "postgresql://scott:tiger@localhost/shop"


def all_requests() -> list[type[Request]]:
    for one in pkgutil.iter_modules(requests.__path__):
        importlib.import_module(f"{requests.__name__}.{one.name}")
    return sorted(
        (one for one in Request.__subclasses__() if one.__module__.startswith("plimsoll.")),
        key=lambda one: one.verb,
    )


def other_value(field: Field) -> Any:
    """Something else than the default that the field may be."""
    if field.choices:
        return next(one for one in field.choices if one != field.default)
    if field.name in _OTHERS:
        return (_OTHERS[field.name],)
    if field.holds_many:
        return ("sim:",) if field.kind.__args__[0] is str else (parse_bytes("64m"),)
    if field.name == "database":
        return "postgresql://scott@localhost/shop"
    low = 1 if field.asked.low is None else max(1, int(field.asked.low))
    made: dict[Any, Any] = {
        bool: not field.default,
        int: low + 2,
        float: float(low) + 0.5,
        str: "sim:mean=1ms",
    }
    if field.kind in made:
        value = made[field.kind]
        return (
            value
            if field.asked.high is None or not isinstance(value, float)
            else min(value, field.asked.high)
        )
    return {"scans": 5.0}


@pytest.mark.parametrize("of", all_requests(), ids=lambda of: of.verb)
def test_every_word_survives_being_kept(of: type[Request]) -> None:
    """Each field alone, so that no two of them contradict each other."""
    first = {field.name: other_value(field) for field in fields_of(of) if field.is_required}
    for field in fields_of(of):
        asked = of(**first | {field.name: other_value(field)})
        kept = StoredRequest.model_validate_json(stored_request(asked).model_dump_json())
        if not field.asked.is_answered:
            assert (of(**first | values_of(of, kept)), kept.left_out) == (of(**first), ())
        elif field.asked.is_kept:
            assert of(**values_of(of, kept)) == asked, field.name
        else:
            assert kept.left_out == (field.asked.word,)


def values_of(of: type[Request], kept: StoredRequest) -> dict[str, Any]:
    found = {
        field.name: (field, kept.words[field.asked.word])
        for field in fields_of(of)
        if field.asked.word in kept.words
    }
    return {name: tuple(value) if field.holds_many else value for name, (field, value) in found.items()}


def test_the_same_is_asked_in_the_folder_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    place, there = str(tmp_path / "runs.db"), tmp_path / "there"
    there.mkdir()
    monkeypatch.chdir(there)
    assert run(["io", ".", "--size", "4m", "--runtime", "50ms", "--seed", "3", "--store", place]) in (0, 1)
    monkeypatch.chdir(tmp_path)
    assert run(["again", "latest", "--store", place, "--json"]) in (0, 1)
    second, first = (open_store(place).load(one.id) for one in open_store(place).summaries())
    assert first.request == second.request
    assert first.request is not None
    assert first.request.words == {"target": ".", "size": 4 << 20, "runtime": 0.05, "seed": 3}
    assert first.target is not None
    assert second.target is not None
    assert Path(second.target.path).parent == Path(first.target.path).parent == there
    assert f"again, in {there}: " in capfd.readouterr().err


def test_relative_places_are_those_of_the_folder_where_it_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there").mkdir()
    asked = StoredRequest(
        verb="io", words={"target": "sim:mean=1ms", "runtime": 0.05}, folder=str(tmp_path / "there")
    )
    monkeypatch.chdir(tmp_path)
    open_store("runs.db").save(facts_runs.io_run().model_copy(update={"request": asked}))
    monkeypatch.setenv("PLIMSOLL_STORE", "runs.db")
    assert run(["again", "latest", "--events", "events.ndjson"]) == 0
    assert len(open_store(str(tmp_path / "runs.db")).summaries()) == 2
    assert (tmp_path / "events.ndjson").exists()
    assert list((tmp_path / "there").iterdir()) == []


def test_with_a_seed_a_simulated_target_says_the_same(tmp_path: Path) -> None:
    place = str(tmp_path / "runs.db")
    assert (
        run(["line", "sim:mean=100us", "--slo", "p99=1ms", "--trial", "2s", "--seed", "5", "--store", place])
        == 0
    )
    assert run(["again", "latest", "--store", place]) == 0
    first, second = (open_store(place).load(one.id).line for one in open_store(place).summaries())
    assert first is not None
    assert second is not None
    assert (first.line_iops, first.ci95) == (second.line_iops, second.ci95)


def test_a_verb_of_two_words_is_found(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    place = str(tmp_path / "runs.db")
    made = facts_runs.prove_run()
    asked = StoredRequest(verb="prove slob", words={"schemas": 0}, folder=str(tmp_path))
    open_store(place).save(made.model_copy(update={"request": asked}))
    assert run(["again", "latest", "--store", place]) == 2
    assert "NUM_SCHEMAS is 0, outside of 1 to 4,096" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("asked", "error_id"),
    [
        (None, "request-unknown"),
        (StoredRequest(verb="io", words={"target": "sim:"}, left_out=("destroy",), folder="/"), "request-left-out"),
        (StoredRequest(verb="io", words={"target": "sim:"}, folder="/no/such/place"), "request-folder"),
    ],
)  # fmt: skip
def test_what_cannot_be_repeated_says_why(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], asked: StoredRequest | None, error_id: str
) -> None:
    place = str(tmp_path / "runs.db")
    open_store(place).save(facts_runs.io_run().model_copy(update={"request": asked}))
    assert run(["again", "latest", "--store", place, "--json"]) == 2
    assert json.loads(capfd.readouterr().out)["data"]["id"] == error_id


def test_neither_passwords_nor_permissions_to_destroy_are_kept() -> None:
    from plimsoll.requests.assess import AssessRequest

    kept = stored_request(AssessRequest("/dev/vdb", database=SECRET, destroy=("vdb=123",)))
    assert kept.words == {"target": "/dev/vdb"}
    assert kept.left_out == ("database", "destroy")
    assert "tiger" not in kept.model_dump_json()
    named = stored_request(AssessRequest("/dev/vdb", database="postgresql://scott@localhost/shop"))
    assert named.words["database"] == "postgresql://scott@localhost/shop"
