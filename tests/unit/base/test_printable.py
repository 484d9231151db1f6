"""Nothing that a terminal obeys is printed, and nothing is lost for machines."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base.printable import encodable, printable, printable_json, printable_lines

HOSTILE = "a\x1b[31m\x9b2J\u202eb\n\r\t\x7f\u200b\u2028\ufeff\U000e0041\udcff\x00"
TEXTS = st.text(st.characters(exclude_categories=()))


def test_what_is_written_out() -> None:
    assert printable(HOSTILE) == (
        r"a\x1b[31m\x9b2J\u202eb\x0a\x0d\x09\x7f\u200b\u2028\ufeff\U000e0041\xff\x00"
    )
    assert printable_lines("one\ntwo\x1b") == "one\ntwo\\x1b"
    assert encodable("a\udcff\ud800\0\x1b") == "a\\xff\\ud800\\x00\x1b"


def test_ordinary_text_stays() -> None:
    for text in ("", "p99 1.2 ms – größer", "数据库", "µ\u00a0s\u202f%", "a\\x1b"):
        assert printable(text) == text
        assert encodable(text) == text


@given(TEXTS)
def test_nothing_is_left_that_is_no_character_to_be_seen(text: str) -> None:
    shown = printable(text)
    assert "\n" not in shown
    assert all(one.isprintable() or one.isspace() for one in shown)
    assert all(ord(one) >= 32 and not 0x7F <= ord(one) < 0xA0 for one in shown)
    shown.encode()
    assert printable(shown) == shown


@given(TEXTS)
def test_what_is_kept_can_be_kept(text: str) -> None:
    encodable(text).encode()
    assert "\0" not in encodable(text)


@given(
    st.recursive(
        st.none() | st.integers() | TEXTS, lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner)
    )
)
def test_json_says_the_same(value: object) -> None:
    for written in (json.dumps(value, ensure_ascii=False), json.dumps(value, ensure_ascii=False, indent=1)):
        shown = printable_json(written)
        shown.encode()
        assert json.loads(shown) == value
        assert all(one.isprintable() or one.isspace() for one in shown)
