"""Real reports without their names: nothing that an independent reader takes for a name, a host, a path or SQL is left, and each
number reads as before. The names are collected from the original by lxml and by patterns, not by what redacts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lxml import html

import report_corpus
from plimsoll.flows.redact import redacted
from plimsoll.reports.reader import Reading, read_all
from plimsoll.reports.redaction.vocabulary import begins_known, is_known, is_own_name
from plimsoll.reports.sources import Source

KEY = b"a key of the tests, known to all"
REPORTS = sorted(report_corpus.HEADERS)
_NAMED = re.compile(
    r"(?:db|database|unique|instance|host|service|user|owner|tablespace|object|subobject|module|program|container|pdb|client)"
    r"[a-z ]*(?:name|id)?|name|sql module|pl/sql entry subprogram",
    re.IGNORECASE,
)
_SQL = re.compile(r"sql text", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z][\w$#]{4,}")
_HOST = re.compile(r"\b[a-zA-Z][\w-]*\.(?:[\w-]+\.)*(?:com|net|org|local|lab|dco|co)\b")
_PATH = re.compile(r"(?<![\w/<.])/(?:u\d\d|oracle|opt|home|app|data|oradata)/[\w./$-]+|\+[A-Z]\w*/[\w./]+")
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
_ROLE = re.compile(r"(?:UNDO(?:TBS)?|TE?MP)[\d_$]*", re.IGNORECASE)
"""What says what a tablespace is for, and has no other letter."""
_HASHED = re.compile(r"hash|sql.?id|signature", re.IGNORECASE)


@cache
def both(name: str) -> tuple[str, str, tuple[Reading, ...], tuple[Reading, ...]]:
    """The text before and after, and what is read of each."""
    source = Source(name, path=str(report_corpus.needs(name)))
    made = redacted(source, KEY)
    assert made.problem is None
    before = read_all(source)
    encoding = {"gbk": "gbk", "windows-1252": "cp1252"}.get(before[0].report.encoding or "", "utf-8-sig")
    text = Path(report_corpus.FOLDER / name).read_bytes().decode(encoding, "replace")
    return text, made.text, before, read_all(Source(name, content=made.text.encode()))


def cells(reading: Reading) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Title, heading and cell of all that the reader makes of a report."""
    tables = reading.whole().sections
    assert reading.content is not None
    for cell in reading.content.cells().rows():
        table = tables[cell["table_index"]]
        columns = [column if isinstance(column, str) else str(column) for column in table.columns]
        at = cell["column_index"]
        yield table.title or "", columns[at] if at < len(columns) else "", cell


def telling(text: str) -> set[str]:
    """Words that only somebody's own things have: none of Oracle's, nor the begin of one that a column has cut.

    Short ones are left out: another name may become just them.
    """
    return {
        word
        for word in _WORD.findall(text)
        if not _ROLE.fullmatch(word)
        and not any(is_known(form) or begins_known(form) for form in (word, word.lower()))
        and not is_own_name(word)
    }


def columns_of_page(text: str) -> Iterator[tuple[str, str]]:
    """Heading and text of each cell of a page, by lxml."""
    for table in html.fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8")).iter("table"):
        headings = [" ".join(th.text_content().split()) for th in table.iter("th")]
        for row in table.iter("tr"):
            values = [td.text_content() for td in row.iter("td")]
            if len(values) == len(headings):
                yield from zip(headings, values, strict=True)


def names_in(name: str, text: str) -> set[str]:
    """What an independent look takes for names."""
    found = "\n".join([*_HOST.findall(text), *_PATH.findall(text), *_MAIL.findall(text)])
    if name.endswith(".html"):
        named = (value for heading, value in columns_of_page(text) if _NAMED.fullmatch(heading))
        found = "\n".join([found, *named])
    else:
        found = "\n".join([found, *re.findall(r"DB/Inst: (\S+?)/", text), *re.findall(r"Module: (.*)", text)])
    return telling(found)


def words_of_sql(name: str, text: str) -> set[str]:
    """Words of statements; those that are words of a report as well may stand elsewhere."""
    if name.endswith(".html"):
        return telling(" ".join(value for heading, value in columns_of_page(text) if _SQL.fullmatch(heading)))
    statements = re.findall(
        r"(?im)^(?:select|insert|update|delete|merge|declare|begin) .*\n(?:\S.*\n)*", text
    )
    return telling(" ".join(statements))


@pytest.mark.parametrize("name", REPORTS)
def test_no_name_and_no_word_of_a_statement_is_left(name: str) -> None:
    before, after, *_ = both(name)
    wanted = names_in(name, before) | words_of_sql(name, before)
    assert wanted or name.startswith("other/"), "a report without any name would show nothing"
    left = wanted & set(_WORD.findall(after))
    assert not left


@pytest.mark.parametrize("name", [name for name in REPORTS if name.endswith(".html")])
def test_no_statement_keeps_a_word_or_a_number_in_its_place(name: str) -> None:
    before, after, *_ = both(name)
    pairs = zip(columns_of_page(before), columns_of_page(after), strict=True)
    for (heading, old), (_, new) in pairs:
        if _SQL.fullmatch(heading) and old.strip():
            assert not set(re.findall(r"\w{4,}", old)) & set(re.findall(r"\w{4,}", new))
            assert not re.search(r"\d", new)


@pytest.mark.parametrize("name", REPORTS)
def test_every_number_reads_as_before(name: str) -> None:
    *_, before, after = both(name)
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        for (title, heading, was), (_, _, now) in zip(cells(old), cells(new), strict=True):
            where = title, heading, was["row_index"]
            if not _HASHED.search(heading) and "literals" not in title:
                assert (was["status"], was["number"], was["unit"]) == (
                    now["status"],
                    now["number"],
                    now["unit"],
                ), where


@pytest.mark.parametrize("name", REPORTS)
def test_lines_and_columns_stay_where_they_were(name: str) -> None:
    before, after, *_ = both(name)
    assert [len(line) for line in before.split("\n")] == [len(line) for line in after.split("\n")]
