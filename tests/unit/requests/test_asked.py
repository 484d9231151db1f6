"""Requests: words become values with units, what cannot be is refused by name, and both interfaces are made of the same fields."""

from __future__ import annotations

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
from plimsoll import requests
from plimsoll.base.errors import UsageError
from plimsoll.cli.parser import build_app
from plimsoll.requests.asked import BYTES, Asked, Request, fields_of
from plimsoll.requests.assess import AssessRequest
from plimsoll.requests.calibrate import CalibrateRequest
from plimsoll.requests.io import IoRequest
from plimsoll.requests.line import LineRequest
from plimsoll.requests.prove_order_entry import ProveOrderEntryRequest
from plimsoll.requests.prove_slob import ProveSlobRequest
from plimsoll.requests.prove_tpch import ProveTpchRequest
from plimsoll.requests.settle import SettleRequest
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


FUNCTIONS: dict[type[Request], tuple[Callable[..., Any], ...]] = {
    AssessRequest: (plimsoll.assess,),
    CalibrateRequest: (plimsoll.calibrate, plimsoll.calibrate_io, plimsoll.working_sets, plimsoll.ladder),
    IoRequest: (plimsoll.measure,),
    LineRequest: (plimsoll.line,),
    ProveOrderEntryRequest: (plimsoll.prove_order_entry,),
    ProveSlobRequest: (plimsoll.prove_slob,),
    ProveTpchRequest: (plimsoll.prove_tpch,),
    SettleRequest: (plimsoll.settle,),
    ShapesRequest: (plimsoll.shapes,),
}
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
    words = {field.asked.word for field in fields_of(of)}
    group: Any = typer.main.get_command(build_app())
    for word in of.verb.split():
        group = group.commands[word]
    options = {option.name for option in group.params}
    assert options == (
        words
        | {"json"}
        | ({"events"} if of.tells_events else set())
        | ({"store"} if of.uses_store else set())
        | ({"tag"} if of.keeps_runs else set())
    )
    for function in FUNCTIONS.get(of, ()):
        parameters = inspect.signature(function).parameters
        assert set(parameters) == words | {"store", "listen", "cancel"}
        for field in fields_of(of):
            default = inspect.Parameter.empty if field.is_required else field.default
            assert parameters[field.asked.word].default == OWN.get(function, {}).get(
                field.asked.word, default
            )
            assert field.asked.help in (function.__doc__ or "")


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
