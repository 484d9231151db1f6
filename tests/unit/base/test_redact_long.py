"""Text of any length is looked through in time that grows with its length."""

from __future__ import annotations

import pytest

from plimsoll.base.redact import HIDDEN, redact, redact_database, redact_word

LONG_BYTES = 125_000
LONG_NAME_BYTES = 50_000
WORK_S_MAX = 30
"""Half a second of work: what grows with the square of such lengths takes minutes."""
_LONG = (
    "a",
    ":",
    "a:",
    "@",
    "=",
    "a=",
    "'",
    '"',
    "\\",
    "%",
    " ",
    "postgresql://",
    " postgresql://",
    "password=",
    "a:b@",
    "[",
    "a/",
    "a/b@",
    "a=b/",
    " a=b/ccc@",
    '=a="',
    "postgresql://a:b@c/",
    " postgresql://a:bbb@c/d:",
    " oracle://aaa@b",
    "identified by ",
    "identified by '",
    "identified by '\n",
    'identified by x"y',
    "identified with ",
    "replace ",
    "password: ",
    'password: "',
    "password '",
    "password for ",
    " as sysdba",
    "as sys",
    "?a=",
    "&a=b",
    "--database ",
    "--store='a/",
    "\\n",
)


@pytest.mark.slow
@pytest.mark.timeout(WORK_S_MAX)
@pytest.mark.parametrize("sign", _LONG)
def test_long_text_takes_no_longer_than_it_is_long(sign: str) -> None:
    """A pattern that looks back again and again would not come to its end within that time."""
    text = sign * (LONG_BYTES // len(sign))
    assert len(redact(text)) <= len(text) + len(HIDDEN)
    assert len(redact_word(text, location=True)) <= len(text) + len(HIDDEN)
    for begin in ("me/", "postgresql://me:", "x=me/"):
        text = begin + sign * (LONG_NAME_BYTES // len(sign))
        assert len(redact(text, location=True)) <= len(text) + len(HIDDEN)
        assert len(redact_database(text)) <= len(text) + len(HIDDEN)
