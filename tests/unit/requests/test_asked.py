"""Requests: words become values with units, what cannot be is refused by name, and both interfaces are made of the same fields."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

import plimsoll
from plimsoll import api, requests
from plimsoll.api._asking import request_of
from plimsoll.base.errors import UsageError
from plimsoll.cli.parser import build_app, joined
from plimsoll.requests.asked import BYTES, SECONDS, Asked, Request, fields_of
from plimsoll.requests.calibrate import CalibrateRequest
from plimsoll.requests.io import IoRequest
from plimsoll.requests.line import LineRequest
from plimsoll.requests.shapes import ShapesRequest


def all_requests() -> list[type[Request]]:
    modules = [
        importlib.import_module(f"{requests.__name__}.{one.name}")
        for one in pkgutil.iter_modules(requests.__path__)
    ]
    found = [value for module in modules for value in vars(module).values() if inspect.isclass(value)]
    return sorted(
        {one for one in found if issubclass(one, Request) and one is not Request},
        key=lambda one: one.__name__,
    )


FUNCTIONS: dict[type[Request], list[Callable[..., Any]]] = {}
for _function in (getattr(api, name) for name in sorted(api.__all__)):
    if (_of := request_of(_function)) is not None:
        FUNCTIONS.setdefault(_of, []).append(_function)
WITHOUT = {
    "agent": "talks with the command that has started it",
    "completion": "prints a script for a shell",
    "demo": "tells its steps to a person at a terminal; learn_demand and assess do the same one by one",
    "help": "prints the help of the command line; help(plimsoll.line) is Python's",
    "lab disk": "serves until it is ended, and measures nothing",
    "lab tiers": "serves until it is ended",
    "store delete": "removes what is stored",
    "store export": "writes files for other tools; a result has frame() and json()",
    "store forget": "removes what is stored",
    "store list": "looks at what is stored, which load() gives",
    "store note": "a sentence for people beside a stored run",
    "store predictions": "looks at what is stored, which load() gives",
    "store prune": "removes what is stored",
    "store snapshots": "lists what learn_demand(snapshots=...) learns from",
    "store thin": "removes what is stored",
    "store show": "looks at what is stored, which load() gives",
}
"""Verbs that have no function in Python, each with the reason."""
OWN = {
    plimsoll.calibrate_io: {"like": "calibrate-io"},
    plimsoll.working_sets: {"working_sets": "auto"},
    plimsoll.ladder: {"ladder": True},
}
"""What such a function asks for where nothing else is said."""


def test_words_become_values_with_the_units_of_the_fields_names() -> None:
    words = {
        "target": Path("/tmp/x"),
        "block": "8k",
        "runtime": "500ms",
        "rate": "20k",
        "size": 4096,
        "destroy": "a=b",
    }
    made = IoRequest.of_words(words)
    assert made == IoRequest(
        "/tmp/x", block_bytes=8192, runtime_s=0.5, rate_per_s=20_000.0, bytes_wanted=4096, destroy=("a=b",)
    )


@pytest.mark.parametrize(
    ("words", "error_id", "said"),
    [
        ({"jobs": 0}, "usage", "jobs: 0 is out of bounds"),
        ({"jobs": 257}, "usage", "jobs: 257 is out of bounds"),
        ({"arrivals": "poison", "rate": 5}, "usage", "arrivals: 'poison' is none of poisson, uniform"),
        ({"block": "0"}, "not-above-zero", "'0' is not above zero"),
        ({"block": -8192}, "not-above-zero", "'-8192' is not above zero"),
        ({"block": "8q"}, "size-unreadable", "8q"),
        ({"blocks": "8k"}, "usage", "io knows no 'blocks'"),
        ({"arrivals": "uniform"}, "option-idle", "--arrivals would have no effect without --rate"),
        ({"fill": "50"}, "option-idle", "--fill would have no effect without --check steady"),
        ({"fill": "50", "check": "steady", "repeats": 3}, "option-idle", "--repeats would have no effect with --fill"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(words: dict[str, Any], error_id: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        IoRequest.of_words({"target": "sim:", **words})
    assert caught.value.id == error_id


def test_one_word_may_say_many() -> None:
    words = {"target": "sim:", "only": "scans, oltp-readers", "rate": "oltp-readers=2k,scans=500"}
    made = ShapesRequest.of_words(words)
    assert made == ShapesRequest.of_words(
        {
            "target": "sim:",
            "only": ["scans", "oltp-readers"],
            "rate": {"oltp-readers": 2000.0, "scans": 500.0},
        }
    )
    assert made.only == ("scans", "oltp-readers")
    with pytest.raises(UsageError, match="cannot read 'scans' as the rate of a shape"):
        ShapesRequest.of_words({"target": "sim:", "rate": "scans"})


def test_a_whole_collection_may_be_words_and_values() -> None:
    made = CalibrateRequest.of_words({"targets": "sim:", "working_sets": ["64m", 1 << 30]})
    assert (made.targets, made.working_sets) == (("sim:",), (64 << 20, 1 << 30))
    assert CalibrateRequest.of_words({"targets": ["sim:"], "working_sets": "auto"}).working_sets == ()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"like": "calibrate-io", "shape": "oltp", "matrix": "row"}, "--shape and --matrix would have no effect with --like"),
        ({"max_latency": "5ms"}, "--max-latency would have no effect without --like"),
        ({"repeats": 2}, "--repeats would have no effect without --like, --working-sets or --ladder"),
        ({"disks": 2}, "--disks would have no effect on adaptive points"),
        ({"working_sets": "auto", "links": "2x8gfc"}, "--links would have no effect with --working-sets"),
        ({"ladder": True, "check": "cache"}, "--check would have no effect with --ladder"),
        ({"stripe": "64k"}, "--stripe would have no effect without --volume raid0"),
        ({"copies": 2}, "--copies would have no effect without --write-share"),
        ({"raid": "raid5"}, "--raid would have no effect without --spindles"),
        ({"streams_depth": 2}, "--streams-depth would have no effect without --large-pattern sequential"),
        ({"like": "calibrate-io", "ladder": True}, "--like and --ladder are measurements apart"),
    ],
)  # fmt: skip
def test_what_would_do_nothing_on_a_calibration_is_refused(words: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        CalibrateRequest.of_words({"targets": ["sim:"], **words})


def test_a_demand_brings_its_own_mix() -> None:
    with pytest.raises(UsageError, match="--rw and --block would have no effect with --demand"):
        LineRequest.of_words({"target": "sim:", "demand": "latest", "rw": "randrw", "block": 8192})


@pytest.mark.parametrize("of", all_requests(), ids=lambda of: of.__name__)
def test_the_command_line_and_the_function_have_the_same_words(of: type[Request]) -> None:
    words = {field.asked.parameter for field in fields_of(of)}
    group: Any = typer.main.get_command(build_app())
    for word in joined(of.verb.split()):
        group = group.commands[word]
    options = {option.name for option in group.params}
    assert options == (
        words
        | {"json", "format"}
        | (set() if of.tables == () else {"table"})
        | ({"events"} if of.tells_events else set())
        | ({"store"} if of.uses_store else set())
        | ({"tag"} if of.keeps_runs else set())
    )
    assert of in FUNCTIONS or of.verb.split()[-1] in api.__all__ or of.verb in WITHOUT
    assert not (of in FUNCTIONS and of.verb in WITHOUT)
    for function in FUNCTIONS.get(of, ()):
        parameters = inspect.signature(function).parameters
        assert set(parameters) == words | {"store", "listen", "cancel"} | (
            {"tag"} if of.keeps_runs else set()
        )
        for field in fields_of(of):
            default = inspect.Parameter.empty if field.is_required else field.default
            assert parameters[field.asked.parameter].default == OWN.get(function, {}).get(
                field.asked.word, default
            )
            assert field.asked.help in (function.__doc__ or "")


def test_no_reason_is_left_over() -> None:
    assert set(WITHOUT) <= {of.verb for of in all_requests()}


def test_the_package_offers_what_the_room_offers() -> None:
    """All but the classes of results, which nobody needs to name."""
    functions = {name for name in api.__all__ if name[0].islower()}
    assert functions <= set(plimsoll._PUBLIC) <= set(api.__all__)
    assert all(getattr(plimsoll, name) is getattr(api, name) for name in functions)


@pytest.mark.parametrize("of", FUNCTIONS, ids=lambda of: of.__name__)
def test_a_docstring_tells_units_what_comes_back_and_errors(of: type[Request]) -> None:
    for function in FUNCTIONS[of]:
        told = function.__doc__ or ""
        assert [part in told for part in ("\nArgs:\n", "\nReturns:\n", "\nRaises:\n", "\nExample:\n")] == [
            True
        ] * 4
        for field in fields_of(of):
            line = next(
                line for line in told.splitlines() if line.strip().startswith(f"{field.asked.parameter}: ")
            )
            assert (field.asked.unit is BYTES) == ("In bytes" in line)
            assert (field.asked.unit is SECONDS) == ("In seconds" in line)


@pytest.mark.parametrize("of", FUNCTIONS, ids=lambda of: of.__name__)
def test_the_example_of_a_docstring_uses_words_of_today(of: type[Request]) -> None:
    for function in FUNCTIONS[of]:
        example = inspect.cleandoc((function.__doc__ or "").partition("\nExample:\n")[2])
        calls = [node for node in ast.walk(ast.parse(example)) if isinstance(node, ast.Call)]
        asked = [(call, called) for call in calls if (called := request_of(_called(call))) is not None]
        assert asked
        for call, called in asked:
            own = {field.asked.parameter for field in fields_of(called)}
            words = own | {"store", "tag", "listen", "cancel"}
            assert {keyword.arg for keyword in call.keywords} <= words


def _called(call: ast.Call) -> Any:
    """What `plimsoll.NAME(…)` calls; None for other calls."""
    match call.func:
        case ast.Attribute(value=ast.Name(id="plimsoll"), attr=name):
            return getattr(api, name)
        case _:
            return None


@pytest.mark.parametrize("of", all_requests(), ids=lambda of: of.__name__)
def test_every_default_is_in_bounds(of: type[Request]) -> None:
    words = {str: "sim:", float: "1d"}
    first = {
        field.asked.word: field.choices[0] if field.choices else words.get(field.kind, "sim:")
        for field in fields_of(of)
        if field.is_required
    }
    assert of.of_words(first) == of.of_words(first)


def test_what_is_told_of_a_field_is_told_once() -> None:
    @dataclass(frozen=True)
    class Doubled(Request):
        verb = "doubled"
        size_bytes: int = Asked("size", "How much.", unit=BYTES).field(1)

    (field,) = fields_of(Doubled)
    assert (field.kind, field.is_optional, field.asked.option) == (int, False, "--size")


def test_what_stands_first_is_all_that_may_be_given_by_place() -> None:
    with pytest.raises(UsageError, match="io takes 1 by place, not 2"):
        plimsoll.measure("sim:", "randread")
    with pytest.raises(UsageError, match="line wants a target"):
        plimsoll.line()
