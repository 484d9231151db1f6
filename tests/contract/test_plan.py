"""A plan goes to Rust as it is: what it reads is the same plan, so neither side has a field, a name or a default of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args, get_origin

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from plimsoll import _core
from plimsoll.facts import (
    Arrivals,
    Flush,
    IoClass,
    Plan,
    PlanGroup,
    RateStep,
    Simulation,
    SizeShare,
    Stretch,
)

COUNTS = st.integers(1, 2**32 - 1)
NUMBERS = st.integers(1, 10**12).map(lambda thousandths: thousandths / 1000)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    int: COUNTS,
    float: NUMBERS,
    bool: st.booleans(),
    str: WORDS,
    type(None): st.none(),
}


def any_of(annotation: Any) -> st.SearchStrategy[Any]:
    """Values of a field, as its type says: a new field needs no line here."""
    if annotation is Arrivals:
        return ARRIVALS
    if annotation in PLAIN:
        return PLAIN[annotation]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = {name: any_of(field.annotation) for name, field in annotation.model_fields.items()}
        return st.builds(annotation, **fields)
    inner = get_args(annotation)
    if get_origin(annotation) is Literal:
        return st.sampled_from(inner)
    if get_origin(annotation) is tuple:
        return st.lists(any_of(inner[0]), max_size=3).map(tuple)
    if get_origin(annotation) is Annotated:
        return any_of(inner[0])
    return st.one_of(*map(any_of, inner))


STEPS = st.lists(any_of(RateStep), max_size=3).map(tuple)
ARRIVALS = st.one_of(
    st.just(Arrivals()),
    st.builds(Arrivals, kind=st.sampled_from(["poisson", "uniform"]), rate_per_s=NUMBERS),
    st.builds(Arrivals, kind=st.just("series"), steps=STEPS, burst=st.none() | COUNTS),
)

IO = IoClass(name="io", op="read", block_bytes=4096, weight=1.0, flush=Flush(every=1, call="fsync"))
STEP = RateStep(duration_s=1.0, rates_per_s=(1.0,))
FULL = Plan(
    targets=(Stretch(path="sim:", span_bytes=1 << 30),),
    groups=(
        PlanGroup(
            name="group",
            engine="sim",
            arrivals=Arrivals(kind="series", steps=(STEP,), burst=1),
            classes=(IO.but(sizes=(SizeShare(bytes=4096, weight=1.0),)),),
        ),
    ),
    simulation=Simulation(law="constant", mean_us=1.0),
)
"""A plan that has each part at least once."""


def read(document: Any) -> Any:
    return json.loads(_core.read_plan(json.dumps(document)))


def parts(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where records are in a document, its own place first."""
    if isinstance(document, dict):
        yield path
        for name, value in document.items():
            yield from parts(value, (*path, name))
    elif isinstance(document, list):
        for index, value in enumerate(document):
            yield from parts(value, (*path, index))


def part(document: Any, path: tuple[Any, ...]) -> dict[str, Any]:
    for step in path:
        document = document[step]
    return document


def classes_of(kind: type[BaseModel]) -> set[type[BaseModel]]:
    """A fact's class and those of its fields."""
    found = {kind}
    for field in kind.model_fields.values():
        found |= {one for inner in models_in(field.annotation) for one in classes_of(inner)}
    return found


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from models_in(inner)


@given(any_of(Plan))
def test_what_rust_reads_is_the_plan(plan: Plan) -> None:
    assert Plan.model_validate_json(_core.read_plan(plan.model_dump_json())) == plan


def test_bytes_counts_and_seeds_have_64_bits() -> None:
    stretch = Stretch(path="sim:", offset_bytes=2**63, span_bytes=2**64 - 1)
    plan = FULL.but(targets=(stretch,), seed=2**64 - 1, ios_max=2**64 - 1, stripe_bytes=2**64 - 1)
    plan = plan.with_group(ios_max=2**64 - 1)
    assert Plan.model_validate_json(_core.read_plan(plan.model_dump_json())) == plan


def test_each_part_of_a_plan_has_the_same_fields_on_both_sides() -> None:
    ours = FULL.model_dump(mode="json")
    theirs = read(ours)
    places = list(parts(ours))
    assert list(parts(theirs)) != []
    assert {path: set(part(ours, path)) for path in places} == {
        path: set(part(theirs, path)) for path in parts(theirs)
    }
    assert len(places) >= len(classes_of(Plan)), "each fact of a plan is in it"


@pytest.mark.parametrize("place", list(parts(FULL.model_dump(mode="json"))), ids=str)
def test_a_field_that_rust_does_not_know_is_refused(place: tuple[Any, ...]) -> None:
    document = FULL.model_dump(mode="json")
    part(document, place)["colour"] = "red"
    with pytest.raises(_core.CoreError, match="unknown field `colour`") as refused:
        read(document)
    assert refused.value.id == "spec-invalid"


def test_what_is_left_out_is_the_same_on_both_sides() -> None:
    """A field that may be left out of a plan may be left out in Rust, and means the same there."""
    closed = FULL.with_group(arrivals=Arrivals()).model_dump(mode="json")
    tried = 0
    for place in parts(closed):
        for name in part(closed, place):
            document = json.loads(json.dumps(closed))
            del part(document, place)[name]
            try:
                ours = Plan.model_validate(document)
            except ValidationError:
                continue
            assert read(document) == ours.model_dump(mode="json"), (*place, name)
            tried += 1
    assert tried > len(Plan.model_fields)


def test_what_a_kind_of_arrivals_has_not_is_refused() -> None:
    odd = Arrivals(kind="closed", rate_per_s=5.0)
    with pytest.raises(_core.CoreError, match="closed arrivals have no other field"):
        _core.read_plan(FULL.with_group(arrivals=odd).model_dump_json())


def test_a_number_without_end_is_refused_and_not_taken_for_unknown() -> None:
    for endless in (float("inf"), float("nan")):
        with pytest.raises(ValidationError, match="finite"):
            FULL.but(give_up_latency_us=endless)


def test_a_change_of_a_field_that_is_none_is_refused() -> None:
    with pytest.raises(ValidationError, match="colour"):
        FULL.but(colour="red")
