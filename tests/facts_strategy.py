"""Generated facts for property tests: any value that a fact class accepts, derived from the class itself."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from hypothesis import strategies as st

from plimsoll.facts import Fact, Run
from plimsoll.facts.run import RESULTS

_KINDS_MAX = 2
"""Of results in one run: with all of them at once a run is so large that few are made."""
_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)
_INTEGER = st.integers(-(2**63), 2**63 - 1)
_REAL = st.floats(-1e300, 1e300)
_ZONES = st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-9))])
_DAWN, _DAYS = datetime(1970, 1, 2, tzinfo=UTC), 80_000
_INSTANT = st.builds(
    lambda passed, zone: (_DAWN + passed).astimezone(zone),
    st.timedeltas(timedelta(0), timedelta(days=_DAYS)),
    _ZONES,
)
_PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: _TEXT,
    int: _INTEGER,
    float: _REAL,
    bool: st.booleans(),
    bytes: st.binary(max_size=64),
    datetime: _INSTANT,
}
_POSITIVE: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(1, 2**63 - 1),
    float: st.floats(min_value=1e-300, max_value=1e300),
}
_COUNTED: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(0, 2**63 - 1),
    float: st.floats(min_value=0.0, max_value=1e300),
}


@cache
def facts(fact: type[Fact]) -> st.SearchStrategy[Any]:
    """Instances of the class, small ones first."""
    fields = {}
    for name, field in fact.model_fields.items():
        if fact is Run and name == "results":
            chosen = st.lists(st.sampled_from(list(RESULTS)), unique=True, max_size=_KINDS_MAX)
            fields[name] = chosen.flatmap(
                lambda kinds: st.fixed_dictionaries({kind: of_kind(kind) for kind in kinds})
            )
            continue
        least = 1 if any(getattr(rule, "min_length", 0) for rule in field.metadata) else 0
        plain = _numbers(field.metadata)
        fields[name] = _of(field.annotation, plain, least)
    return st.builds(fact, **fields)


def _numbers(rules: list[Any]) -> dict[Any, st.SearchStrategy[Any]]:
    """What a field of such rules may hold where it is plain."""
    if any(getattr(rule, "gt", None) == 0 for rule in rules):
        return _POSITIVE
    return _COUNTED if any(getattr(rule, "ge", None) == 0 for rule in rules) else _PLAIN


@cache
def of_kind(kind: str) -> st.SearchStrategy[Any]:
    """Results of that kind, as a run holds them."""
    return _of(RESULTS[kind], _PLAIN, 1)


def _of(annotation: Any, plain: dict[Any, st.SearchStrategy[Any]], least: int) -> st.SearchStrategy[Any]:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        # Bounds of a value within another are those of rates, none of which is negative.
        return _of(arguments[0], _POSITIVE, least)
    if origin in (Union, UnionType):
        kinds = [st.none() if part is NoneType else _of(part, plain, least) for part in arguments]
        return st.one_of(sorted(kinds, key=lambda kind: kind is not st.none()))
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(_of(arguments[0], plain, 0), min_size=least, max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*(_of(part, plain, 0) for part in arguments))
    if origin is dict:
        return st.dictionaries(_of(arguments[0], plain, 0), _of(arguments[1], plain, 0), max_size=2)
    if isinstance(annotation, type) and issubclass(annotation, Fact):
        return st.deferred(lambda: facts(annotation))
    return plain.get(annotation, _PLAIN.get(annotation, st.nothing()))
