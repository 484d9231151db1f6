"""The words of options mean one thing over all verbs, and what was called otherwise once is still understood."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from plimsoll.cli import verbs
from plimsoll.requests import shared
from plimsoll.requests.asked import Field, fields_of
from plimsoll.supply.workloads import RW_MODES

VERBS = list(verbs.single())
FIELDS = [(verb, field) for verb in VERBS for field in verb.fields]
NOT_OURS = {
    "run_time",
    "seconds",
    "duration",
    "time",
    "output",
    "output_dir",
    "out_dir",
    "directory",
    "dir",
    "outfile",
}
"""Other spellings of `runtime`, `out` and `folder`."""
SEVERAL = {
    "out": {"FILE", "FOLDER"},  # what a verb writes is one file, or several
    "rate": {"N", "SHAPE=N,…"},  # of each client of its own
    "limit": {"METRIC=VALUE", "N"},  # what a metric may not exceed, and how many are listed
    "since": {"AGE", "WHEN"},  # runs are looked for by their age, snapshots also by a time of day
    "scale": {"BLOCKS|SIZE", "N"},  # SLOB's and TPC-H's
}
"""Words behind which different things stand, each with the reason."""


def test_one_word_takes_one_kind_of_value() -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for _, field in FIELDS:
        if not field.choices and not field.asked.stands_first:
            found[field.asked.word].add(field.value_word)
    several = {word: values for word, values in found.items() if len(values) > 1}
    assert several == SEVERAL


def test_one_thing_has_one_word() -> None:
    assert [(verb.name, field.asked.word) for verb, field in FIELDS if field.asked.word in NOT_OURS] == []
    assert {field.value_word for _, field in FIELDS if field.asked.word == "folder"} == {"FOLDER"}
    assert {field.asked.short for _, field in FIELDS if field.asked.word == "out"} == {"-o"}


ALIASED = [(verb, field, alias) for verb, field in FIELDS for alias in field.asked.aliases]


@pytest.mark.parametrize(("verb", "field", "alias"), ALIASED, ids=lambda one: getattr(one, "name", str(one)))
def test_an_old_word_is_understood(verb: verbs.Verb, field: Field, alias: str) -> None:
    value: Any = "7s" if field.asked.unit else "there"
    needed = {one.asked.word: "x" for one in fields_of(verb.request) if one.is_required}
    assert verb.request.of_words({**needed, alias: value}) == verb.request.of_words(
        {**needed, field.asked.word: value}
    )
    assert alias not in {one.asked.word for one in verb.fields}


def test_something_is_aliased() -> None:
    assert {alias for _, _, alias in ALIASED} >= {"run_time", "seconds", "output_dir", "directory"}


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_a_default_in_help_is_what_one_would_type(verb: verbs.Verb) -> None:
    for field in fields_of(verb.request):
        has_value = not (field.is_required or field.is_whole or field.holds_many or field.default is None)
        if has_value and field.asked.unit is not None:
            assert field.asked.shown is None, f"{field.name}: its default says it"
            assert field.value(field.default_typed) == field.default
        assert not field.default_typed.startswith("(")


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_help_names_no_other_proof(verb: verbs.Verb) -> None:
    """What several verbs share is told so that it holds for each."""
    others = {"slob", "order-entry", "tpch"} - {verb.words[-1]}
    for field in verb.fields:
        told = f"{field.asked.help} {field.default_typed}".lower().replace("slob's", "").split()
        assert not others & {word.strip(",.:;") for word in told}, field.name


def test_values_that_a_shell_completes_are_those_that_there_are() -> None:
    assert set(shared.RW.values) == set(RW_MODES)
    from plimsoll import databases
    from plimsoll.base import registry

    known = {name: registry.load(databases, name, "DATABASE") for name in databases.names()}
    forms = {
        form for kind in known.values() for form in ([f"{one}://" for one in kind.schemes] or [kind.name])
    }
    offered = {value for _, field in FIELDS if field.asked.word == "database" for value in field.asked.values}
    assert offered <= forms
    assert all(offered & {kind.name, *(f"{one}://" for one in kind.schemes)} for kind in known.values())
