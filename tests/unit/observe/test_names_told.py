"""Names of databases are never taken for words that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.observe.names_told import by_number, is_below, is_named, of_server, quoted


@pytest.mark.parametrize("name", ["none", "global", "unknown", "OID 5", "SID ORCL", '"x"', "a of b"])
def test_names_that_could_be_taken_for_something_else_stand_between_quotes(name: str) -> None:
    assert quoted(name) != name
    assert is_named(quoted(name), quoted(name))


@given(
    st.text(min_size=1),
    st.text(min_size=1),
    st.sampled_from(["/a", "/b", None]),
    st.sampled_from(["/a", None]),
)
def test_two_names_are_never_one_label(one: str, other: str, here: str | None, there: str | None) -> None:
    same = of_server(quoted(one), here) == of_server(quoted(other), there)
    assert same == (one == other and here == there)
    assert quoted(one) not in ("none", "global", by_number(5))


@pytest.mark.parametrize(
    ("label", "asked", "is_so"),
    [
        ("shop", "shop", True),
        ("shop of /srv/a", "shop", True),
        ("shop of /srv/a", "shop of /srv/a", True),
        ("shop of /srv/a", "shop of /srv/b", False),
        ("shops", "shop", False),
        ('"bank of england"', "bank of england", True),
        ('"bank of england"', "bank", False),
        ("SID ORCL", "ORCL", True),
        ("OID 5 of /srv/a", "OID 5", True),
        ("none", "none", True),
        ('"none"', "none", False),
        ("global of /srv/a", "global", True),
        (None, "unknown", False),
    ],
)
def test_what_is_asked_for_is_found_by_its_name_alone_too(label: str | None, asked: str, is_so: bool) -> None:
    assert is_named(label, asked) is is_so


@pytest.mark.parametrize(
    ("path", "asked", "is_so"),
    [
        ("/db.slice", "/db.slice", True),
        ("/db.slice/pg.service", "/db.slice", True),
        ("/db.slice/pg.service", "/db.slice/", True),
        ("/db.slices", "/db.slice", False),
        ("/db.slice", "/", True),
        ("/", "/db.slice", False),
        ("none", "/", False),
        (None, "/", False),
    ],
)
def test_a_control_group_holds_those_below_it(path: str | None, asked: str, is_so: bool) -> None:
    assert is_below(path, asked) is is_so
