"""Databases, instances and hosts that are called like one of Oracle's own words go where the head names them, in every layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

import oracle_objects
from collector_spools import two
from plimsoll.facts import Report
from plimsoll.flows.redact import redacted
from plimsoll.reports.reader import read_all
from plimsoll.reports.redaction import Pseudonyms, Redactor, names_left, names_of
from plimsoll.reports.sources import Source
from reportgen.facts import Facts
from reportgen.invent import Scale, invent
from reportgen.layout import Form, Layout, plain_layouts
from reportgen.report import render

KEY = b"a key of the tests, known to all"
WORDS = ("primary", "my_server-aps-1", "xe")
"""One that every database has, some that stay in prose, and one of two letters."""


def called(word: str) -> Facts:
    """A made report whose database, instances and hosts are all called so."""
    made = invent(5, Scale(rows=1))
    short = word.replace("-", "_")
    instances = tuple(replace(one, name=short, host=word) for one in made.instances)
    return replace(made, header=replace(made.header, db_name=short.upper()), instances=instances)


def reports(content: bytes) -> Sequence[Report]:
    return [reading.report for reading in read_all(Source("made", content=content))]


def check(content: bytes, *names: str) -> str:
    """That a report that has these names in its head has none of them without names, and is read as before."""
    before = reports(content)
    assert set(names) <= {name.lower() for name in names_of(before)}
    made = redacted(Source("made", content=content), KEY)
    assert (made.problem, made.reads_otherwise) == (None, False)
    after = reports(made.text.encode())
    told = list(names_of(after))
    assert len(told) == len(list(names_of(before)))
    assert not {name.lower() for name in told} & set(names)
    assert [one.role for one in after] == [one.role for one in before]
    return made.text


@pytest.mark.parametrize("layout", plain_layouts(), ids=lambda layout: layout.label)
@pytest.mark.parametrize("word", WORDS)
def test_a_name_in_the_head_goes_whatever_word_it_is(layout: Layout, word: str) -> None:
    names = [name.lower() for name in names_of(reports(render(called(word), layout)))]
    assert names
    check(render(called(word), layout), *names)


STATSPACK = """
STATSPACK report for

Database    DB Id    Instance     Inst Num  Startup Time   Release     RAC
~~~~~~~~ ----------- ------------ -------- --------------- ----------- ---
          1440100868 standby             1 20-May-16 06:20 12.1.0.2.0  NO

{}
~~~~ ---------------- ---------------------- ----- ----- ------- ------------
     backup           Linux x86 64-bit           1     1       1          2.8

Snapshot       Snap Id     Snap Time      Sessions Curs/Sess Comment
~~~~~~~~    ---------- ------------------ -------- --------- ------------------
Begin Snap:        171 23-May-16 14:50:28       37       1.1
  End Snap:        172 23-May-16 14:54:30       37       1.1
   Elapsed:       4.03 (mins) Av Act Sess:       0.0
"""
HOST = "Host Name             Platform                CPUs Cores Sockets   Memory (G)"
BROKEN = "Host                             Name             Platform                CPUs\nCores Sockets   Memory (G)"


@pytest.mark.parametrize("heading", [HOST, BROKEN])
def test_the_host_of_statspack_goes_below_a_heading_over_two_columns(heading: str) -> None:
    shown = check(STATSPACK.format(heading).encode(), "standby", "backup")
    assert "Linux x86 64-bit           1     1       1          2.8" in shown


def test_the_host_on_a_line_of_its_own_goes() -> None:
    line = "Host  Name:   backup       Num CPUs:    2        Phys Memory (MB):    2,047\n~~~~"
    begin, _, end = STATSPACK.partition("{}\n")
    content = f"{begin}{line}\n{end.partition('2.8')[2]}"
    shown = check(content.encode(), "standby", "backup")
    assert "Num CPUs:    2        Phys Memory (MB):    2,047" in shown


COMPARED = """
WORKLOAD REPOSITORY COMPARE PERIOD REPORT

Snapshot Set DB Name         DB Id    Instance     Inst num Release     Cluster Host          Std Block Size
------------ ------------ ----------- ------------ -------- ----------- ------- ------------ ---------------
First (1st)  PRIMARY        909607496 primary             1 11.2.0.4.0  NO      backup                  8192
Second (2nd) PRIMARY        909607496 standby             1 19.0.0.0.0  NO      system                  8192
"""


def test_both_periods_lose_their_names() -> None:
    shown = check(COMPARED.encode(), "primary", "standby", "backup", "system")
    assert "Second (2nd) " in shown


ADDM = """
  ADDM Report for Task 'ADDM:1329819247_1_411'
  --------------------------------------------

Analysis Period
---------------
AWR snapshot range from 410 to 411.
Time period starts at 04-APR-15 06.22.17 AM
Time period ends at 04-APR-15 02.24.18 PM

Analysis Target
---------------
Database 'PRIMARY' with DB ID 1329819247.
Database version 12.1.0.2.0.
ADDM performed an analysis of instance standby, numbered 1 and hosted at
backup.

Activity During the Analysis Period
-----------------------------------
Total database time was 602 seconds.
The average number of active sessions was 4.97.
"""


def test_the_sentences_of_addm_lose_their_names() -> None:
    shown = check(ADDM.encode(), "primary", "standby", "backup")
    assert "of instance" in shown
    check(ADDM.replace("hosted at\nbackup", "hosted at backup").encode(), "primary", "standby", "backup")


def test_a_word_that_is_no_name_where_it_stands_stays() -> None:
    layout = next(one for one in plain_layouts() if one.form is Form.HTML and not one.comma)
    shown = redacted(Source("made", content=render(called("redo"), layout)), KEY).text
    assert "Redo size" in shown


@pytest.mark.parametrize("word", ["backup", "primary"])
def test_a_word_that_would_stay_in_the_head_keeps_all_of_it_back(
    word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Redactor, "redacted", lambda self, text, names, dots_group: text)
    content = STATSPACK.format(HOST).replace("backup ", word.ljust(7)).encode()
    made = redacted(Source("made", content=content), KEY)
    assert made.problem is not None
    assert "would have stayed" in made.problem
    assert not made.text


def test_what_is_left_is_found_where_it_stood() -> None:
    (one,) = reports(STATSPACK.format(HOST).encode())
    (other,) = reports(STATSPACK.format(HOST).replace("standby", "tugboat").encode())
    assert names_left([one], [other]) == {"backup"}
    assert names_left([one], [other, other]) == {"backup"}
    swapped = one.model_copy(update={"instance": "backup", "host": "standby"})
    assert names_left([one], [swapped]) == frozenset()
    everywhere = one.model_copy(update={"instance": "7", "host": "a", "container": "CDB$ROOT"})
    assert names_left([everywhere], [everywhere]) == frozenset()


@pytest.mark.parametrize("word", ["xe", "EE", "h1", "q7", "temp", "UNDOTBS1", "cdb$root", "x\u00e9"])
def test_another_word_is_never_the_same(word: str) -> None:
    for number in range(400):
        pseudonyms = Pseudonyms(number.to_bytes(16))
        made = pseudonyms.another(word)
        assert made.lower() != word.lower()
        assert len(made) == len(word)
        assert pseudonyms.another(word) == made


def test_spools_lose_the_names_of_their_instances() -> None:
    shown = redacted(Source("made", content=oracle_objects.sample({}, db="PRIMARY").encode()), KEY).text
    assert "PRIMARY" not in shown
    content = two(db="PRIMARY").encode()
    check(content, "primary", *(name.lower() for name in names_of(reports(content))))
