"""Documents that are much alike take little room each, and are what they were."""

from __future__ import annotations

import hashlib
import json
import pickle

from plimsoll.base.packing import Packed, Packer


def document(number: int, names: int = 200) -> bytes:
    """As a list of tables is: the same headings, and other numbers."""
    titles = (hashlib.sha256(str(at).encode()).hexdigest() for at in range(names))
    return json.dumps(
        [{"title": title, "rows": number % (at + 1)} for at, title in enumerate(titles)]
    ).encode()


def test_each_is_what_it_was() -> None:
    packer = Packer()
    documents = [b"[]", document(1), document(2), b"", document(3, names=4000), document(4)]
    packed = [packer.packed(one, "awr") for one in documents]
    assert [one.whole() for one in packed] == documents
    assert [one.whole() for one in pickle.loads(pickle.dumps(packed))] == documents


def test_those_beside_the_first_of_their_kind_take_half_the_room() -> None:
    packer = Packer()
    first, other, second = (
        packer.packed(document(1), "awr"),
        packer.packed(document(1), "ash"),
        packer.packed(document(2), "awr"),
    )
    assert (first.like, other.like, second.like) == (b"", b"", document(1))
    assert len(second.content) < len(first.content) / 2
    assert len(other.content) == len(first.content)


def test_what_they_are_packed_against_crosses_to_another_process_once() -> None:
    packer = Packer()
    packed = [packer.packed(document(number), "awr") for number in range(50)]
    alone = sum(len(one.content) for one in packed)
    assert len(pickle.dumps(packed)) < alone + 2 * len(document(0)) + 50 * 100
    held: list[Packed] = pickle.loads(pickle.dumps(packed))
    assert len({id(one.like) for one in held[1:]}) == 1


def test_of_ever_new_kinds_only_the_first_are_kept() -> None:
    packer = Packer()
    for number in range(100):
        packer.packed(document(number), f"kind {number}")
    assert packer.packed(document(7), "kind 99").like == b""
    assert packer.packed(document(7), "kind 7").like == document(7)


def test_it_goes_on_elsewhere_and_whatever_kind_comes_between() -> None:
    packer = Packer()
    for kind in ("awr", "ash"):
        packer.packed(document(1), kind)
    first = [packer.packed(document(2), "awr") for _ in range(2)]
    between = packer.packed(document(2), "ash")
    again = pickle.loads(pickle.dumps(packer)).packed(document(2), "awr")
    assert first[0] == first[1] == between == again == packer.packed(document(2), "awr")
    assert first[0].whole() == document(2)
