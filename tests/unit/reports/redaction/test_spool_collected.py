"""Spools of the collector without names: every number stays, and each is read as before."""

from __future__ import annotations

import pytest

from collector_spools import MadeInstance, MadeSnapshot, counted, echoed, lines_of, spool, two, wrapped
from plimsoll.reports.redaction import Pseudonyms, redact_collected
from plimsoll.reports.spool.intervals import intervals_of
from plimsoll.reports.spool.lines import SpoolFact, facts_of
from plimsoll.reports.spool.snapshots import read_spool

PSEUDONYMS = Pseudonyms(b"k" * 32)
TEXT = two(db="SECRETDB", cdb=True, containers={"1": "CDB$ROOT", "3": "SECRETPDB"})


@pytest.mark.parametrize("shown", [str, echoed, lambda text: wrapped(text, 60)])
def test_names_go_and_figures_stay(shown: object) -> None:
    assert callable(shown)
    text = str(shown(TEXT))
    made = redact_collected(text, PSEUDONYMS)
    for name in ("SECRET", "secret", "db1", "ORDERS", "SHOP"):
        assert name not in made
    assert "CDB$ROOT" in made
    (before,), (after,) = (intervals_of(read_spool(one)) for one in (text, made))
    same = (
        "db_id",
        "begin_time",
        "end_time",
        "elapsed_s",
        "db_time_s",
        "cpus",
        "block_bytes",
        "release",
        "platform",
    )
    assert [before.head[name] for name in same] == [after.head[name] for name in same]
    assert after.problems == ()


def test_the_servers_own_words_stay() -> None:
    made = redact_collected(TEXT, PSEUDONYMS)
    for letter in "SWBHJOFUM":
        assert list(lines_of(made, letter)) == list(lines_of(TEXT, letter))


def test_one_name_is_one_name() -> None:
    made = [one for one in facts_of(redact_collected(TEXT, PSEUDONYMS)) if isinstance(one, SpoolFact)]
    databases = {one.values[4] for one in made if one.letter == "D"}
    assert len(databases) == 1
    assert databases == {PSEUDONYMS_OF_DB}


PSEUDONYMS_OF_DB = next(
    one.values[4]
    for one in facts_of(redact_collected(":D|0|1|1|77|SECRETDB|Linux|NO|8192|1.5|.", PSEUDONYMS))
    if isinstance(one, SpoolFact)
)


def test_what_sql_plus_says_goes_but_for_the_number_of_an_error() -> None:
    text = "Connected to SECRETDB\nORA-00942: table or view SECRET.T does not exist\n:S|1|1|1|SECRET cut\n"
    assert redact_collected(text, PSEUDONYMS) == "\nORA-00942\n:N|\n"


def test_a_bar_in_a_name_stays_one_value() -> None:
    made = counted()
    made["X"] = {("1", "MY|SPACE"): made["X"]["1", "USERS"]}
    text = spool(MadeSnapshot([MadeInstance(made)]))
    (found,) = [
        one
        for one in facts_of(redact_collected(text, PSEUDONYMS))
        if isinstance(one, SpoolFact) and one.letter == "X"
    ]
    assert found.values[4].count("|") == 1
    assert "MY" not in found.values[4]
