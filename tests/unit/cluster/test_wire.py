"""Lines between client and agent: the same out as in, and nothing that comes is believed further than its form."""

from __future__ import annotations

import io
import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.cluster import wire

_MEMBERS = st.dictionaries(
    st.sampled_from(["words", "paths", "at_ns", "hdr"]),
    st.one_of(st.text(), st.integers(), st.lists(st.text(max_size=5), max_size=3), st.none()),
)


@given(st.lists(st.tuples(st.text(min_size=1), _MEMBERS), max_size=5))
def test_what_is_said_is_heard(said: list[tuple[str, dict[str, object]]]) -> None:
    lines = b"".join(wire.encoded(word, **members) for word, members in said)
    heard = list(wire.messages(io.BytesIO(lines)))
    assert heard == [{"say": word, **members} for word, members in said]


@given(st.binary(max_size=200))
def test_whatever_comes_is_a_message_or_an_error(noise: bytes) -> None:
    for read in (wire.messages, wire.after_greeting):
        with suppress(wire.TalkError):
            assert all(isinstance(one["say"], str) for one in read(io.BytesIO(noise)))


def test_what_a_login_script_prints_is_passed_over() -> None:
    talk = b"Welcome to db1\n\nlast login: yesterday\n" + wire.greeting("1.2") + wire.encoded("alive")
    heard = list(wire.after_greeting(io.BytesIO(talk)))
    assert [one["say"] for one in heard] == ["hello", "alive"]
    assert heard[0][wire.GREETING] == wire.PROTOCOL


def test_noise_without_an_end_is_refused() -> None:
    with pytest.raises(wire.TalkError, match="no greeting"):
        list(wire.after_greeting(io.BytesIO(b"noise\n" * (wire.NOISE_LINES_MAX + 1))))


def test_a_line_that_was_cut_is_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = wire.encoded("alive") + wire.encoded("done", cell={})[:-5]
    assert [one["say"] for one in wire.messages(io.BytesIO(cut))] == ["alive"]
    monkeypatch.setattr(wire, "LINE_BYTES_MAX", 100)
    with pytest.raises(wire.TalkError, match="without an end"):
        list(wire.messages(io.BytesIO(b'{"say": "' + b"x" * 1000)))


@pytest.mark.parametrize("line", [b"[]\n", b"{}\n", b'{"say": 7}\n', b"[" * 100_000 + b"\n", b"\xff\n"])
def test_documents_of_another_form_are_refused(line: bytes) -> None:
    with pytest.raises(wire.TalkError):
        list(wire.messages(io.BytesIO(line)))


def test_numbers_without_an_end_are_never_sent() -> None:
    with pytest.raises(ValueError, match="Out of range"):
        wire.encoded("slice", ios=float("inf"))
    assert json.loads(wire.encoded("slice", ios=1)) == {"say": "slice", "ios": 1}
