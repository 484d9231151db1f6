"""Names as the catalogue has them, as a plan writes them, and as SQL does."""

from __future__ import annotations

import pytest

from plimsoll.placement.scripts.names import comment, is_plain, literal, parts, quoted


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("sales.orders", ("sales", "orders")),
        ('"a.b".c', ("a.b", "c")),
        ('a."say ""x"""', ("a", 'say "x"')),
        ("orders", ("orders",)),
        ("a.b.c", ("a", "b", "c")),
        ("Sales.Two Words", ("Sales", "Two Words")),
        ("", None),
        ("a.", None),
        (".a", None),
        ('"a"b', None),
        ('a"b', None),
        ('"open', None),
        ('""', None),
    ],
)
def test_parts(name: str, found: tuple[str, ...] | None) -> None:
    assert parts(name) == found


@pytest.mark.parametrize(
    "name", ["plain", 'with "quotes"', "semi; drop table x", "-- comment", "it's", "ä.b", "$$", "%s", "\\"]
)
def test_a_quoted_name_is_read_back_as_itself(name: str) -> None:
    assert parts(quoted("s", name)) == ("s", name)


def test_what_no_catalogue_holds_is_our_mistake() -> None:
    for name in ("", "nul\0"):
        with pytest.raises(AssertionError, match="no identifier"):
            quoted(name)


def test_a_comment_stays_on_its_line() -> None:
    said = comment("orders\n; DROP TABLE orders;\r\u2028x\x1b[2J")
    assert said == "-- orders?; DROP TABLE orders;??x?[2J"
    assert len(said.splitlines()) == 1
    assert not is_plain("a\nb")
    assert is_plain("a b'c\"d")


def test_a_string_ends_where_it_should() -> None:
    assert literal("it's") == "'it''s'"
