"""Values that are made later are dataclasses in all that can be seen of them, whatever is asked of them first."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import threading
from collections.abc import Callable
from dataclasses import KW_ONLY, FrozenInstanceError, InitVar, dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import pytest

from plimsoll.base.values import changed, made_later, mutable, value


@value
class Kept:
    """A value that other processes are sent."""

    name: str
    count: int = 3


def kinds(decorate: Callable[[type[Any]], type[Any]]) -> tuple[type[Any], type[Any]]:
    """One that stands for itself, and one that is made of it."""

    class Part:
        name: str
        count: int = 3
        parts: tuple[str, ...] = field(default=("one",))
        others: list[str] = field(default_factory=list, compare=False)

        def __post_init__(self) -> None:
            if not self.name:
                raise ValueError("a name is wanted")

        @cached_property
        def length(self) -> int:
            return len(self.name)

    made = decorate(Part)

    class Whole(made):
        size: float = 1.5

        def __repr__(self) -> str:
            return f"<{self.name}>"

    return made, decorate(Whole)


def both() -> list[Any]:
    """As Python makes them, and as they are made later."""
    return [kinds(dataclass(frozen=True)), kinds(value)]


class Marked:
    """With what is no field, or is not handed over in its turn."""

    shared: ClassVar[str] = "all"
    name: str
    _: KW_ONLY
    given: InitVar[int] = 0
    count: int = 3

    def __post_init__(self, given: int) -> None:
        object.__setattr__(self, "count", self.count + given)


ASKED: dict[str, Callable[[type[Any], type[Any]], object]] = {
    "shown": lambda part, whole: (repr(part("a")).rpartition(".")[2], repr(whole("a"))),
    "equal": lambda part, whole: [
        part("a") == part("a"),
        part("a") == part("b"),
        part("a") == whole("a"),
        part("a", others=["x"]) == part("a"),
    ],
    "hashed": lambda part, whole: (
        len({part("a"), part("a"), part("b")}),
        hash(whole("a")) == hash(whole("a")),
    ),
    "fields": lambda part, whole: [[one.name for one in dataclasses.fields(kind)] for kind in (whole, part)],
    "is one": lambda part, whole: (dataclasses.is_dataclass(whole), dataclasses.is_dataclass(part)),
    "defaults": lambda part, whole: (
        [one.default for one in dataclasses.fields(part)][1:3],
        part.count,
        part.parts,
        hasattr(part, "others"),
        whole.size,
    ),
    "replaced": lambda part, whole: dataclasses.asdict(dataclasses.replace(whole("a"), count=4)),
    "copied": lambda part, whole: copy.copy(part("a", 2)) == part("a", 2),
    "matched": lambda part, whole: (part.__match_args__, whole.__match_args__),
    "cached": lambda part, whole: whole("four").length,
    "told": lambda part, whole: whole.__dataclass_params__.frozen,
    "positional": lambda part, whole: dataclasses.astuple(whole("a", 1, (), [], 2.0)),
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED.keys())
def test_it_is_as_a_dataclass_is(asked: Callable[[type[Any], type[Any]], object]) -> None:
    ours, later = both()
    assert asked(*ours) == asked(*later)


@pytest.mark.parametrize("number", [0, 1])
def test_it_cannot_be_changed(number: int) -> None:
    for made in both():
        one = made[number]("a")
        with pytest.raises(FrozenInstanceError, match="cannot assign to field 'name'"):
            one.name = "b"
        with pytest.raises(FrozenInstanceError, match="cannot delete field 'count'"):
            del one.count
        with pytest.raises(FrozenInstanceError):
            one.new = 1


def test_a_plain_class_that_is_made_of_one_has_values_of_its_own() -> None:
    for part, _ in both():
        mixed = type("Mixed", (part,), {})("a")
        mixed.own = 1
        with pytest.raises(FrozenInstanceError):
            mixed.name = "b"
        del mixed.own
        with pytest.raises(FrozenInstanceError):
            del mixed.name


@pytest.mark.parametrize("words", [(), ("a", 1, (), [], 2), ("",)])
def test_words_that_it_does_not_take_are_refused_in_the_same_way(words: tuple[Any, ...]) -> None:
    told = []
    for part, _ in both():
        with pytest.raises((TypeError, ValueError)) as raised:
            part(*words)
        told.append((raised.type, str(raised.value)))
    assert told[0] == told[1]


def test_it_comes_from_other_processes_before_one_was_made_here() -> None:
    """What is unpacked calls no method of its class, and to compare it is then the first."""
    for asked in (lambda one, other: one == other, lambda one, _: hash(one) == hash((("a"), 3, ("one",)))):
        _, (part, _) = both()
        one, other = (part.__new__(part) for _ in range(2))
        for each in (one, other):
            each.__dict__.update(name="a", count=3, parts=("one",), others=[])
        assert asked(one, other)
    assert pickle.loads(pickle.dumps(Kept("a"))) == Kept("a")


def test_what_a_class_has_of_its_own_stays() -> None:
    @value
    class Own:
        name: str

        def __eq__(self, other: object) -> bool:
            return True

    assert Own("a") == Own("b")
    assert len({Own("a"), Own("a")}) == 1


def test_one_that_can_be_changed_has_no_hash() -> None:
    class Open:
        name: str
        count: int = 0

    made: Any = made_later(Open, frozen=False, kw_only=True)
    with pytest.raises(TypeError, match="unhashable"):
        hash(made(name="a"))
    with pytest.raises(TypeError):
        made("a")
    one = made(name="a")
    one.count = 2
    assert one == made(name="a", count=2)


def test_one_that_is_changed_is_what_replace_makes() -> None:
    part, _ = kinds(value)
    one = part("a", 2)
    assert changed(one, count=4) == dataclasses.replace(one, count=4)
    with pytest.raises(ValueError, match="a name is wanted"):
        changed(one, name="")


def test_it_is_the_same_among_the_first_and_behind_them() -> None:
    """Whatever is asked how often, and what of it made the methods."""
    part, _ = kinds(value)
    ours, _ = kinds(dataclass(frozen=True))
    for number in range(200):
        words: dict[str, Any] = {"count": number % 3} if number % 2 else {"others": ["x"]}
        one, other = part(str(number), **words), ours(str(number), **words)
        assert vars(one) == vars(other)
        assert hash(one) == hash(other)
        assert one == part(str(number), **words)
        assert one != part("else")
        assert one != other


@pytest.mark.parametrize("count", [1, 100])
def test_lists_of_their_own_are_not_shared(count: int) -> None:
    part, _ = kinds(value)
    made = [part("a") for _ in range(count + 1)]
    made[0].others.append("x")
    assert made[count].others == []


def test_what_is_no_plain_field_is_as_in_a_dataclass() -> None:
    found = []
    for decorate in (dataclass(frozen=True), value):
        body = {name: held for name, held in vars(Marked).items() if name not in ("__dict__", "__weakref__")}
        made: Any = decorate(type("Marked", (), body))
        found.append([vars(made("a", given=2)), [one.name for one in dataclasses.fields(made)], made.shared])
        with pytest.raises(TypeError):
            made("a", 2)
    assert found[0] == found[1]


def test_one_that_may_be_changed_is_as_a_dataclass_is() -> None:
    for decorate in (dataclass, mutable):
        part, whole = kinds(decorate)
        for kind in (part, whole):
            one, other = kind("a"), kind("a")
            one.count = 4
            assert one != other
            other.count = 4
            assert one == other
            with pytest.raises(TypeError, match="unhashable"):
                hash(one)


def test_threads_that_make_the_first_at_once_all_have_it() -> None:
    for _ in range(20):
        part, whole = kinds(value)
        begin = threading.Barrier(4)
        made: list[Any] = []

        def make(kind: type[Any], begin: threading.Barrier = begin, made: list[Any] = made) -> None:
            begin.wait()
            made.append(kind("a"))

        threads = [threading.Thread(target=make, args=[kind]) for kind in (part, whole) * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(made) == 4
        assert {one.name for one in made} == {"a"}
