"""Names for names: one for each, of the same shape, and told by the key alone."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.reports.redaction.pseudonyms import Pseudonyms
from plimsoll.reports.redaction.vocabulary import is_own_name

KEY = b"the key of these tests"
WORDS = st.from_regex(r"[A-Za-z0-9_$#]{1,40}", fullmatch=True)


@given(WORDS)
def test_a_name_keeps_its_shape(word: str) -> None:
    made = Pseudonyms(KEY).name(word)
    assert len(made) == len(word)
    for old, new in zip(word, made, strict=True):
        assert (old.isupper(), old.islower(), old.isdigit()) == (new.isupper(), new.islower(), new.isdigit())


@given(WORDS)
def test_equal_names_are_equal_again_in_any_case_and_any_call(word: str) -> None:
    made = Pseudonyms(KEY)
    assert made.name(word) == Pseudonyms(KEY).name(word)
    assert made.name(word).lower() == made.name(word.upper()).lower() == made.name(word.lower()).lower()


def test_two_names_never_become_one() -> None:
    made = Pseudonyms(KEY)
    words = [
        "".join(letters) for letters in product("abcdefghijklmnopqrstuvwxyz", "0123456789", "abcdefghij")
    ]
    names = [made.name(word) for word in words]
    assert len(set(names)) == len(words)
    assert names != words


def test_no_name_becomes_one_of_oracles_own() -> None:
    made = Pseudonyms(KEY)
    words = ["".join(letters) for letters in product("abcdefghijklmnopqrstuvwxyz", repeat=3)]
    assert not any(is_own_name(made.name(word)) for word in words if not is_own_name(word))


def test_another_key_gives_other_names() -> None:
    assert Pseudonyms(KEY).name("HARBOUR") != Pseudonyms(KEY + b"!").name("HARBOUR")


def test_the_role_of_a_tablespace_stays() -> None:
    made = Pseudonyms(KEY)
    assert made.name("UNDOTBS_QUAY").startswith("UNDOTBS_")
    assert "QUAY" not in made.name("UNDOTBS_QUAY")
    assert made.name("TEMP2") == "TEMP2"


def test_ids_of_statements_and_hashes_stay_ids() -> None:
    made = Pseudonyms(KEY)
    assert made.sql_id("7h35uxf5uhmm1") != "7h35uxf5uhmm1"
    assert set(made.sql_id("7h35uxf5uhmm1")) <= set("0123456789abcdfghjkmnpqrstuvwxyz")
    hashes = {made.number(str(number)) for number in range(100, 1000)}
    assert hashes == {str(number) for number in range(100, 1000)}


def test_noise_tells_nothing_but_where_blanks_were() -> None:
    made = Pseudonyms(KEY)
    text = "select *\n  from manifests where id = 4711"
    noise = made.noise(text)
    assert [sign.isspace() for sign in noise] == [sign.isspace() for sign in text]
    assert noise.replace(" ", "").replace("\n", "").isalpha()
    assert made.noise(text + "2")[:8] != noise[:8]


def test_letters_of_other_scripts_become_latin() -> None:
    assert Pseudonyms(KEY).name("Größe港口").isascii()


@pytest.mark.parametrize("word", ["İSTANBUL", "İ", "ŉABC", "Σίσυφος"])
def test_a_capital_without_a_small_form_of_one_sign_is_a_letter_as_any(word: str) -> None:
    made = Pseudonyms(KEY).name(word)
    assert made.isascii()
    assert len(made) == len(word)


def test_a_greek_name_is_equal_in_either_case() -> None:
    made = Pseudonyms(KEY)
    assert made.name("Σίσυφος").lower() == made.name("ΣΊΣΥΦΟΣ").lower()


def test_a_short_key_is_none() -> None:
    with pytest.raises(ValueError, match="guessed"):
        Pseudonyms(b"short")
