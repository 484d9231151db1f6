"""SQL for Oracle as far as a parser can judge it.

What a real server makes of it is not tested here, nor anywhere else; docs/databases.md says so.
"""

from __future__ import annotations

import re
from importlib import resources
from typing import Any

import pytest

from plimsoll.databases import _queries
from plimsoll.proof.statements import statements

VIEWS = _queries.for_version("oracle", 19)


def test_counters_are_those_of_all_instances() -> None:
    for text in (
        VIEWS["sysstat"],
        VIEWS["system_event"],
        VIEWS["moment"],
        *statements("oracle", "slob", "counts"),
    ):
        assert not re.search(r"(?<![g\w])v\$", text), text
    assert "max(g.startup_time) from gv$instance" in VIEWS["login"]


def test_sums_are_taken_over_instances() -> None:
    """The grammar's own tree: each view is summed and grouped by its name."""
    sqlglot = pytest.importorskip("sqlglot", reason="no sqlglot, the parser")
    for view, key, sums in (("sysstat", "name", 1), ("system_event", "event", 2)):
        tree = sqlglot.parse_one(without_comments(VIEWS[view]), dialect="oracle")
        select = next(iter(tree.find_all(sqlglot.exp.Select)))
        assert [one.name for one in select.args["group"].expressions] == [key]
        assert len(list(select.find_all(sqlglot.exp.Sum))) == sums


PLAIN = re.compile(
    r"\A(?:select|insert|update|comment|drop|create (?:table|index)|truncate)\b", re.IGNORECASE
)
WORDS: dict[str, Any] = {
    "table": "cf1_1", "number": 1, "rows": 64, "seed": 1, "marker": "plimsoll slob {}", "work_loop": 0,
    "columns": "c2 char(128), c3 char(128)", "changes": "c2 = cast(serial as char(20))", "think_frequency": 0,
    "think_s_min": 0.1, "think_s_max": 0.5, "rate_per_s": 0.0, "hot_schema_frequency": 0, "update_pct": 10, "scale": 64,
    "blocks_updated": 4, "hotspot_frequency": 0, "hotspot_offset": 0, "hotspot": 0, "scan_pct": 0, "work_unit": 4,
}  # fmt: skip


def all_statements() -> dict[str, str]:
    found = {f"databases/{name}": text for name, text in VIEWS.items()}
    folder = resources.files("plimsoll.proof").joinpath("sql", "oracle", "slob")
    for entry in folder.iterdir():
        name = entry.name.removesuffix(".sql")
        for number, text in enumerate(statements("oracle", "slob", name, WORDS)):
            found[f"slob/{name}/{number}"] = text
    return found


STATEMENTS = all_statements()
UNREAD = {
    "slob/table/0": "how rows are laid into blocks (pctfree) is beyond the parser",
    "slob/index/0": "the same",
    "slob/drop/0": "so are users",
}


def without_comments(text: str) -> str:
    return re.sub(r"--[^\n]*", "", text).strip()


def is_plain(text: str) -> bool:
    return PLAIN.match(without_comments(text)) is not None


@pytest.mark.parametrize("name", sorted(name for name, text in STATEMENTS.items() if is_plain(text)))
def test_plain_statements_are_sql_to_a_parser(name: str) -> None:
    """A parser knows the grammar, not the views: a column that no release has would pass."""
    sqlglot = pytest.importorskip("sqlglot", reason="no sqlglot, the parser")
    # It knows places of parameters by name, and the driver takes numbers as well.
    parsed = sqlglot.parse(without_comments(STATEMENTS[name]).replace(":1", ":one"), dialect="oracle")
    assert len(parsed) == 1
    unread = type(parsed[0]).__name__ == "Command"
    assert unread is (name in UNREAD), "read, or listed with the reason why not"


OPENS = re.compile(r"\b(?:begin|if|loop|case)\b")
CLOSES = re.compile(r"\bend\b(?: if\b| loop\b)?")


@pytest.mark.parametrize("name", sorted(name for name, text in STATEMENTS.items() if not is_plain(text)))
def test_blocks_are_balanced(name: str) -> None:
    """Of PL/SQL only this is checked: that parentheses, quotes and begin, if, loop and case are closed. It was never compiled."""
    text = re.sub(r"/\*.*?\*/", "", without_comments(STATEMENTS[name]))
    assert text.count("'") % 2 == 0
    code = re.sub(r"'[^']*'", "''", text).lower()
    assert code.count("(") == code.count(")")
    opened = len(OPENS.findall(re.sub(r"\bend (?:if|loop|case)\b", "end", code)))
    assert opened == len(CLOSES.findall(code))
    assert "{" not in code
    if code.startswith(("begin", "declare", "create or replace")):
        assert code.endswith("end;\n/"), "a block keeps its last semicolon and ends with a slash"
    assert "\n\n" not in text, "a blank line would cut it in two"


def test_the_parser_is_not_asked_in_vain() -> None:
    plain = [name for name, text in STATEMENTS.items() if is_plain(text)]
    assert len(plain) > 15
    assert "slob/procedure/0" not in plain
