"""Facts are found whatever SQL*Plus prints around them, and put together where it wrapped them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collector_spools import echoed, line, paged, two, wrapped
from plimsoll.facts import ReportProblem
from plimsoll.reports.spool.lines import SpoolFact, decoded, facts_of, is_spool

TEXT = two()


def told(text: str) -> list[tuple[str, tuple[str, ...]]]:
    found = list(facts_of(text))
    assert not [one for one in found if isinstance(one, ReportProblem)]
    return [(one.letter, one.values) for one in found if isinstance(one, SpoolFact)]


@pytest.mark.parametrize("width", [20, 33, 47, 80, 81, 100])
def test_wrapped_lines_are_put_together(width: int) -> None:
    assert told(wrapped(TEXT, width)) == told(TEXT)


def test_a_space_at_the_wrap_is_put_back() -> None:
    for width in range(12, 60):
        made = line("W", 1, 1, 1, "db file sequential read by other session", "User I/O", 100000, 2)
        others = line("W", 1, 1, 1, "x" * 200, "User I/O", 1, 2)
        assert (
            told(wrapped(f"{others}\n{made}", width))[1][1][3] == "db file sequential read by other session"
        )


def test_prompts_echo_and_page_breaks_are_no_facts() -> None:
    assert told(echoed(TEXT)) == told(TEXT)
    assert told(paged(TEXT)) == told(TEXT)
    assert told(paged(wrapped(TEXT, 50), every=3)) == told(TEXT)
    assert told(TEXT.replace("\n", "\r\n")) == told(TEXT)


def test_a_fact_has_the_number_of_its_line() -> None:
    found = [one for one in facts_of(paged(TEXT)) if isinstance(one, SpoolFact)]
    lines = paged(TEXT).split("\n")
    assert all(lines[one.line - 1].startswith(f":{one.letter}|") for one in found)


def test_a_bar_in_a_name_comes_back() -> None:
    assert told(line("S", 1, 1, 1, "a\\7cb", 5)) == [("S", ("1", "1", "1", "a|b", "5"))]


def test_what_is_cut_is_told_with_its_line() -> None:
    found = list(facts_of(":S|1|1|2|physical\n:S|1|2|2|user commits|7|.\n"))
    assert [(one.code, one.line) for one in found if isinstance(one, ReportProblem)] == [
        ("collector-line-damaged", 1)
    ]
    assert [one.values[3] for one in found if isinstance(one, SpoolFact)] == ["user commits"]


def test_a_refusal_of_the_database_is_told() -> None:
    (found,) = facts_of("ERROR at line 4:\nORA-00942: table or view does not exist\n")
    assert isinstance(found, ReportProblem)
    assert (found.code, found.line) == ("collector-refused", 2)
    assert "ORA-00942" in found.message


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_spool_is_known_in_any_encoding(encoding: str) -> None:
    data = two(db="GRÖSSE").encode(encoding)
    assert is_spool(data)
    assert "GRÖSSE" in decoded(data)[0]


def test_a_line_of_prompts_without_end_takes_no_time_without_end() -> None:
    assert list(facts_of("SQL> 1  " * 20_000)) == []


def test_words_within_a_line_make_no_spool() -> None:
    assert not is_spool(b"a report that quotes prompt :V|plimsoll-collect|1|TD|.\n")
    assert is_spool(b"SQL> prompt :V|plimsoll-collect|1|TD|.\nSQL> :V|plimsoll-collect|1|TD|.\n")


@given(st.text(alphabet=":|.SVQE0123456789 \n-\\7c\fORA", max_size=400))
def test_any_text_has_an_answer(text: str) -> None:
    for one in facts_of(text):
        assert one.line is not None
        assert 1 <= one.line <= text.count("\n") + 1
