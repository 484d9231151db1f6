"""No password survives, and nothing else is changed."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base.redact import HIDDEN, redact, redact_all


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://me:secret@db/shop", "postgresql://me:***@db/shop"),
        ("postgresql+psycopg://me:s:e@c@db/shop", "postgresql+psycopg://me:***@db/shop"),
        ("postgresql://me:s/l?a#s@h@db/shop", "postgresql://me:***@db/shop"),
        ("see postgresql://a:b@c/d and mysql://e:f@g", "see postgresql://a:***@c/d and mysql://e:***@g"),
        (
            "postgresql://db/shop?user=me&password=secret&sslmode=require",
            "postgresql://db/shop?user=me&password=***&sslmode=require",
        ),
        ("host=db password='it is \\' secret' user=me", "host=db password=*** user=me"),
        ("PGPASSWORD=secret psql", "PGPASSWORD=*** psql"),
    ],
)
def test_passwords_are_hidden(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://db.example:5432/shop",
        "postgresql://me@db/shop",
        "a:b@c",
        "https://example.org/a:b",
        "12:30",
        "",
    ],
)
def test_other_text_stays(text: str) -> None:
    assert redact(text) == text


@given(
    st.text(min_size=4), st.sampled_from(["postgresql://me:{}@db/shop", "postgresql://db/shop?password={}"])
)
def test_any_password_in_a_url_is_hidden(secret: str, url: str) -> None:
    quoted = quote(secret, safe="")
    assert redact(url.format(quoted)) == url.format(HIDDEN)


def test_words_of_a_command() -> None:
    assert redact_all(["--database", "postgresql://a:b@c"]) == ["--database", "postgresql://a:***@c"]
