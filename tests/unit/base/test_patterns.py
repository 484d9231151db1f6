"""Patterns that are compiled when they are first used are those that `re.compile` makes."""

from __future__ import annotations

import importlib
import re
from types import ModuleType

import pytest

from plimsoll.base.patterns import late

MODULES = (
    "plimsoll.base._logins", "plimsoll.base._named_secrets", "plimsoll.base.redact", "plimsoll.host.topology.numactl",
)  # fmt: skip


def of_module(module: ModuleType) -> list[re.Pattern[str]]:
    return [held for held in vars(module).values() if type(held) is type(late(""))]


@pytest.mark.parametrize("name", MODULES)
def test_all_of_a_module_can_be_compiled(name: str) -> None:
    found = of_module(importlib.import_module(name))
    assert found
    for pattern in found:
        assert isinstance(re.compile(pattern.pattern, pattern.flags), re.Pattern)


def test_it_finds_what_a_pattern_finds() -> None:
    ours, own = late(r"(?P<word>[a-z]+)=", re.IGNORECASE), re.compile(r"(?P<word>[a-z]+)=", re.IGNORECASE)
    for text in ("", "a=1 B=2", "none", "X="):
        assert [one.span() for one in ours.finditer(text)] == [one.span() for one in own.finditer(text)]
        assert ours.sub("*", text) == own.sub("*", text)
        assert ours.split(text) == own.split(text)
        assert bool(ours.fullmatch(text)) == bool(own.fullmatch(text))
    assert (ours.pattern, ours.flags, ours.groupindex) == (own.pattern, own.flags, own.groupindex)


def test_one_that_is_wrong_is_told_when_it_is_used() -> None:
    wrong = late("(")
    with pytest.raises(re.error):
        wrong.search("")
    with pytest.raises(AttributeError):
        getattr(late("a"), "none")  # noqa: B009 - a type checker knows that a pattern has none
