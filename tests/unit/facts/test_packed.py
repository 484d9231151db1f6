"""Facts that are packed are the same facts, and are written as a tuple of them is."""

from __future__ import annotations

import copy
import gc
import pickle
import tracemalloc

import pytest
from pydantic import ValidationError

import facts_advice
from plimsoll.facts import Advice, Finding
from plimsoll.facts.packed import PackedFacts

ADVICE = facts_advice.advice()


def findings(many: int) -> tuple[Finding, ...]:
    """Of reports that are much alike."""
    return tuple(
        one.but(file=f"reports/{number:05}.html", reason=f"sessions waited {number} s")
        for number in range(many)
        for one in ADVICE.findings
    )


def packed(facts: tuple[Finding, ...]) -> PackedFacts[Finding]:
    made: PackedFacts[Finding] = PackedFacts()
    for one in facts:
        made.append(one, one.rule)
    return made


def test_each_is_what_it_was() -> None:
    facts = findings(5)
    made = packed(facts)
    assert tuple(made) == facts
    assert [made[place] for place in range(len(facts))] == list(facts)
    assert (made[-1], made[2:5], made[8:2:-3]) == (facts[-1], facts[2:5], facts[8:2:-3])
    assert (len(made), bool(made), bool(packed(()))) == (len(facts), True, False)
    assert facts[3] in made
    with pytest.raises(IndexError):
        made[len(facts)]


def test_those_at_some_places_come_in_their_order() -> None:
    facts = findings(5)
    assert packed(facts).at([7, 0, 3]) == (facts[7], facts[0], facts[3])


def test_it_equals_a_tuple_of_them_and_nothing_else() -> None:
    facts = findings(3)
    made = packed(facts)
    assert made == facts
    assert facts == made
    assert made == packed(facts)
    assert made != facts[1:]
    assert made != (*facts[:-1], facts[0])
    assert made != list(facts)
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == facts


def test_a_fact_that_has_them_is_written_and_checked_as_one_with_a_tuple() -> None:
    facts = findings(3)
    whole = ADVICE.model_copy(update={"findings": facts})
    made = ADVICE.model_copy(update={"findings": packed(facts)})
    assert made == whole
    assert made.model_dump_json() == whole.model_dump_json()
    assert made.model_dump(mode="json", include={"findings"}) == whole.model_dump(
        mode="json", include={"findings"}
    )
    assert made.but(notes=()).findings == facts
    assert Advice.model_validate_json(made.model_dump_json()) == whole
    with pytest.raises(ValidationError):
        made.but(verdicts=packed(facts))


def test_none_of_them_is_alive_when_nobody_has_it() -> None:
    made = packed(findings(300))
    held = made[7]
    assert sum(1 for _ in made) == len(made)
    gc.collect()
    alive = [one for one in gc.get_objects() if isinstance(one, Finding) and one.file.startswith("reports/")]
    assert alive == [held]


def test_they_take_a_tenth_of_the_room() -> None:
    def taken_bytes(many: int, is_packed: bool) -> int:
        sent = [pickle.dumps(one) for one in findings(many)]
        tracemalloc.start()
        try:
            packing: PackedFacts[Finding] = PackedFacts()
            held: list[Finding] = []
            for one in map(pickle.loads, sent):
                if is_packed:
                    packing.append(one, one.rule)
                else:
                    held.append(one)
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    packed_bytes, held_bytes = (
        taken_bytes(400, is_packed) - taken_bytes(100, is_packed) for is_packed in (True, False)
    )
    assert packed_bytes < held_bytes / 10


def test_it_has_the_hash_of_what_it_equals() -> None:
    """Advice on many intervals is a key as that on few is."""
    facts = findings(3)
    assert hash(packed(facts)) == hash(facts)
    many = ADVICE.model_copy(update={"findings": packed(facts)})
    few = ADVICE.model_copy(update={"findings": facts})
    assert isinstance(many.findings, PackedFacts)
    assert hash(many) == hash(few)
