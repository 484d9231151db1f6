"""All exports by the same rules: each is recognised as what it is, whatever is cut or broken is told, and nothing is made up."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import exports_made as made
from plimsoll.base.errors import UsageError, WorldError
from plimsoll.dialects import exports

TEXTS = made.examples()


def taken(text: str) -> exports.Found:
    """What it says: nothing where it is refused by name."""
    found = exports.Found()
    with suppress(UsageError):
        content = exports.Content("export", text.encode(errors="replace"))
        exports.source_of(content).take(content, found)
        exports.derive(found)
    return found


def points(found: exports.Found) -> dict[tuple[str, str, float], tuple[float, str]]:
    """Values and lengths, as text, in which NaN is itself."""
    return {
        (key.database, key.metric, begin_s): (value, repr(duration_s))
        for key, instances in found.points.items()
        for one in instances.values()
        for begin_s, value, duration_s in zip(one.begin_s, one.value, one.duration_s, strict=True)
    }


def test_there_is_an_example_of_each() -> None:
    assert set(TEXTS) == set(exports.names())


@pytest.mark.parametrize("name", exports.names())
def test_each_is_recognised_as_what_it_is(name: str) -> None:
    content = exports.Content("export", TEXTS[name].encode())
    assert [other for other in exports.names() if exports.load(other).recognises(content)] == [name]


@pytest.mark.parametrize("name", exports.names())
def test_each_says_what_it_cannot_tell_and_how_it_is_exported(name: str) -> None:
    source = exports.load(name)
    assert source.blind
    assert source.title
    assert source.anew
    found = taken(TEXTS[name])
    assert {note.code for note in source.blind} <= made.codes(found)
    assert points(found)
    assert found.off_files == 0


@pytest.mark.parametrize("name", exports.names())
@given(share=st.floats(0, 1))
def test_of_what_is_cut_anywhere_no_figure_is_another(name: str, share: float) -> None:
    whole = points(taken(TEXTS[name]))
    text = TEXTS[name][: int(share * len(TEXTS[name]))]
    assert points(taken(text)).items() <= whole.items()


def broken(document: Any, place: int, value: Any) -> Any:
    """A document with another value at one of its places."""
    left = [place]

    def walk(node: Any) -> Any:
        left[0] -= 1
        if left[0] == -1:
            return value
        if isinstance(node, dict):
            return {name: walk(member) for name, member in node.items()}
        return [walk(member) for member in node] if isinstance(node, list) else node

    return walk(document)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.parametrize("name", exports.names())
@given(line=st.integers(0, 30), place=st.integers(0, 60), value=ANYTHING)
def test_whatever_stands_in_it_is_read_or_told(name: str, line: int, place: int, value: Any) -> None:
    lines = TEXTS[name].splitlines()
    line %= len(lines)
    head, mark, text = lines[line].rpartition("\t") if name == "pg-profile" else ("", "", lines[line])
    document = json.loads(text.replace("\\n", "").replace("\\\\", "\\"))
    lines[line] = head + mark + json.dumps(broken(document, place, value))
    found = taken("\n".join([*lines, ""]))
    for figure, duration_s in points(found).values():
        assert math.isfinite(figure)
        assert figure >= 0
        assert math.isnan(float(duration_s)) or float(duration_s) > 0


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\xff", "it is not UTF-8 text, from byte 1 on"),
        (b"", "it is no export that is known here"),
        (b"[1, 2]", "it is no export that is known here"),
        (b'{"a": 1}', "it is no export that is known here"),
        (b'{"a": 1,}', "it is not JSON: trailing comma at line 1 column 9"),
        (b'{"sysstat": {"hosts": []}}', "it is no export that is known here"),
    ],
)
def test_what_is_none_is_refused(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(UsageError) as caught:
        exports.read(path, exports.Found())
    assert caught.value.id == "export-unreadable"
    assert told in caught.value.message


def test_more_values_than_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plimsoll.dialects.exports._content.EXPORT_SIGNS_MAX", 3)
    path = tmp_path / "x.json"
    path.write_text("[1, 2, 3, 4, 5]")
    with pytest.raises(UsageError, match="more than 3 values") as caught:
        exports.read(path, exports.Found())
    assert caught.value.hint == "Export a shorter time, or fewer series."


def test_files_that_are_not_there_or_folders(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as missing:
        exports.read(tmp_path / "x.json", exports.Found())
    assert missing.value.id == "file-missing"
    (tmp_path / "y.json").mkdir()
    with pytest.raises(WorldError) as caught:
        exports.read(tmp_path / "y.json", exports.Found())
    assert caught.value.id == "export-unreadable"


def test_a_file_is_one_by_its_name_or_by_how_it_begins(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("time,database,metric,value\n")
    (tmp_path / "table.csv").write_text("time,dbname,data\n")
    assert exports.is_export("x.JSON")
    assert exports.is_export("x.jsonl")
    assert exports.is_export(tmp_path / "table.csv")
    assert not exports.is_export(tmp_path / "own.csv")
    assert not exports.is_export(tmp_path / "none.csv")
    assert not exports.is_export("awr.html")


def test_a_name_that_no_source_has() -> None:
    with pytest.raises(UsageError) as caught:
        exports.load("graphite")
    assert caught.value.id == "export-unknown"
