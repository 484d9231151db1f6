"""The collector for SQL*Plus: Oracle's grammar takes each statement, nothing but queries is in it, and each line is read whole.

What a real server makes of it is not tested here, nor anywhere else; docs/demand-collector.md says so.
"""

from __future__ import annotations

import re

import pytest
import sqlglot
from sqlglot import exp

from plimsoll.databases import queries
from plimsoll.databases._oracle_collector import plain
from plimsoll.demand.collector import HISTORY_QUERIES, QUERIES, script
from plimsoll.reports.spool.snapshots import SHAPES
from plimsoll.requests.demand import CollectorName

NAMES: tuple[CollectorName, ...] = ("oracle", "oracle-11")
FILES = queries("oracle_collector", 19)
WORDS_MAX = 132
_ESCAPED = re.compile(r"replace\(([\w.]+), '\|', '\\7c'\)")
_FORBIDDEN = re.compile(
    r"\b(insert|update|delete|merge|drop|create|grant|truncate|execute|begin|declare|host|lock|set|for update)\b",
    re.I,
)
_COMMANDS = ("--", "set ", "whenever ", "alter session", "spool ", "prompt ", "exit")
_WAIT = re.compile(r"\nbegin\n.*?\nend;\n/\n", re.S)
HEADS = {"T": 6, "D": 6, "C": 3}
_NUMBERED = 3


def statements(text: str) -> list[str]:
    """The queries of a script, without the wait."""
    lines = [line for line in _WAIT.sub("\n", text).splitlines() if not line.startswith(_COMMANDS)]
    return [part.strip() for part in "\n".join(lines).split(";") if part.strip()]


@pytest.mark.parametrize("licensed", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_each_statement_is_a_query_of_oracle(name: CollectorName, licensed: bool) -> None:
    found = statements(script(name, licensed))
    assert len(found) > 20
    for text in found:
        assert text.startswith("select "), text
        assert not _FORBIDDEN.search(text), text
        tree = sqlglot.parse_one(text, dialect="oracle")
        assert isinstance(tree, exp.Select), text
        assert tree.args.get("order") is not None or "'1|1" in text or ":D|" in text, text


@pytest.mark.parametrize("licensed", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_each_line_has_as_many_values_as_are_read(name: CollectorName, licensed: bool) -> None:
    for text in statements(script(name, licensed)):
        literals = re.findall(r"'([^']*)'", _ESCAPED.sub(r"\1", text))
        letter = literals[0][1]
        shape = SHAPES.get(letter.upper())
        values = HEADS[letter.upper()] if shape is None else shape.keys + shape.numbers
        bars = sum(literal.count("|") for literal in literals)
        assert bars == _NUMBERED + values + letter.islower() + 1, text
        assert literals[0].startswith(":")
        assert literals[-1] == "|." or "'|.'" in text


@pytest.mark.parametrize("name", NAMES)
def test_the_statements_are_those_that_its_first_line_names(name: CollectorName) -> None:
    text = script(name, licensed=True)
    for block in re.findall(r"prompt :V\|[\w-]+\|1\|(\w+)\|\.\n(.*?)prompt :E\|end\|\.", text, re.S):
        letters, body = block
        assert re.findall(r"prompt :Q\|(\w)\|", body) == list(letters)
        assert re.findall(r"select ':(\w)\|", body) == list(letters)


@pytest.mark.parametrize("name", NAMES)
def test_both_moments_are_read_by_the_same_queries(name: CollectorName) -> None:
    blocks = re.findall(r"(prompt :V\|plimsoll-collect.*?prompt :E\|end\|\.)", script(name), re.S)
    assert len(blocks) == 2
    assert blocks[0] == blocks[1]


@pytest.mark.parametrize("licensed", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_its_head_says_where_the_moments_stand(name: CollectorName, licensed: bool) -> None:
    text = script(name, licensed)
    found = re.search(r"lines (\d+) to (\d+) read a moment, lines (\d+) to (\d+) are the same", text)
    assert found is not None
    lines = text.splitlines()
    first, last, again, end = (int(place) for place in found.groups())
    assert lines[first - 1 : last] == lines[again - 1 : end]
    assert lines[first - 1].startswith("prompt :V|plimsoll-collect|")
    assert lines[last - 1] == lines[end - 1] == "prompt :E|end|."


def test_a_connection_is_sent_the_very_statements_of_the_file() -> None:
    """Without what is for SQL*Plus alone. A colon outside of quotes would be taken for a value that is still to come."""
    text = script("oracle", licensed=True)
    sent = [plain(FILES[query.file]) for query in (*QUERIES, *HISTORY_QUERIES)]
    assert set(sent) == set(statements(text))
    for statement in (*sent, plain(FILES["session"])):
        assert not statement.endswith(";")
        assert "--" not in statement
        assert ":" not in re.sub(r"'[^']*'|\"[^\"]*\"", "", statement)


@pytest.mark.parametrize("name", NAMES)
def test_history_is_read_only_with_a_licence(name: CollectorName) -> None:
    assert "dba_hist" not in script(name)
    assert "no licence" in script(name)
    assert script(name, licensed=True).count("DIAGNOSTICS PACK") == 2


@pytest.mark.parametrize("name", NAMES)
def test_sql_plus_takes_the_file_as_it_is(name: CollectorName) -> None:
    """No blank line, which would end a statement; no sign of a variable; no command that goes on by a hyphen at its end."""
    text = script(name, licensed=True)
    for line in text.splitlines():
        assert line.strip(), "a blank line ends a statement"
        assert len(line) <= WORDS_MAX, line
        assert not line.endswith("-"), line
        assert "&" not in line
        assert not (line.startswith("--") and line.endswith(";")), line
    assert "{" not in text
    assert text.endswith(
        "\nspool off\nset termout on\nprompt That was all: send plimsoll_collect.lst.\nexit\n"
    )
    assert text.isascii()


def test_only_release_11_goes_without_containers() -> None:
    assert "con_id" not in script("oracle-11")
    assert "gv$event_histogram_micro" not in script("oracle-11")
    assert "gv$con_sysstat" in script("oracle")
    assert "gv$event_histogram_micro" in script("oracle")


def test_views_of_single_instances_are_those_without_counts() -> None:
    """Counts are read of all instances."""
    single = set(re.findall(r"(?<![g\w])v\$\w+", "\n".join(statements(script("oracle")))))
    assert single == {
        "v$database",
        "v$parameter",
        "v$containers",
        "v$datafile",
        "v$tempfile",
        "v$tablespace",
        "v$event_name",
    }


def test_every_query_that_is_kept_is_in_a_script() -> None:
    for name, release in (("oracle", 12), ("oracle-11", 11)):
        text = script(name, licensed=True)  # type: ignore[arg-type]
        for query in queries("oracle_collector", release).values():
            assert query.split("{")[0].rstrip("\n") in text
