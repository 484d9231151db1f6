"""A file of objects: what is read of it, and how whatever is off is told, with its line."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base.errors import UsageError
from plimsoll.placement.object_file import COLUMNS, read_objects

HEAD = "object,bytes,tier,small_reads,large_reads,small_writes,cached_share"
TIERS = ("disk", "flash")


def read(tmp_path: Path, text: str, on: str | None = None) -> object:
    path = tmp_path / "objects.csv"
    path.write_bytes(text.encode())
    return read_objects(path, TIERS, on)


def test_what_stands_there_is_read_and_an_empty_cell_is_not_known(tmp_path: Path) -> None:
    path = tmp_path / "objects.csv"
    path.write_text(
        "\ufeffTier;object;BYTES;small_reads;large_reads;small_writes;kind;parent;large_reads_max;read_s;evidence\r\n"
        'flash;"A;""B""\nC";40g;900;;0;index;A;7;1.5;AWR\r\n\r\n'
        "disk;D;;1;2;3;;;;;\r\n",
        encoding="utf-8",
    )
    found = read_objects(path, TIERS)
    first, second = found.objects
    assert (first.name, first.kind, first.parent, first.tier) == ('A;"B"\nC', "index", "A", "flash")
    assert (first.size_bytes, first.small_reads, first.large_reads) == (40 << 30, 900.0, None)
    assert [(one.count, one.low, one.high) for one in first.bounds] == [("large_reads", 0.0, 7.0)]
    assert (first.read_s, first.evidence) == (1.5, "AWR")
    assert (second.size_bytes, second.cached_share, second.kind, second.parent) == (None, None, "other", None)
    assert [note.code for note in found.notes] == ["cached-share-missing"]
    assert found.interval_s is None


def test_a_column_that_is_not_known_is_told(tmp_path: Path) -> None:
    path = tmp_path / "objects.csv"
    path.write_text(f"{HEAD},backgroud_writes\na,1,disk,1,1,1,0,5\n")
    (note,) = read_objects(path, TIERS).notes
    assert note.code == "columns-unknown"
    assert "backgroud_writes is not known, and left out. Did you mean background_writes?" in note.message


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("", 1, "the column object is missing"),
        (
            "object,bytes,tier,small_reads,large_reads\n",
            1,
            "the column small_writes is missing; it has object, bytes",
        ),
        (f"{HEAD},tier\n", 1, "the column tier is there twice"),
        (f"{HEAD}\n", 1, "no object follows"),
        (f"{HEAD}\na,1,disk,1,1,1\n", 2, "it has 6 cells, and the first line 7"),
        (f"{HEAD}\n,1,disk,1,1,1,\n", 2, "the object has no name"),
        (f"{HEAD}\na,1,disk,1,1,1,\n\na,1,disk,1,1,1,\n", 4, "'a' is already on line 2"),
        (f"{HEAD}\na,1,dsk,1,1,1,\n", 2, "tier: 'dsk' is not one of the tiers"),
        (f"{HEAD}\na,1,,1,1,1,\n", 2, "no tier is given for the object"),
        (f"{HEAD}\na,12 parsecs,disk,1,1,1,\n", 2, "bytes: cannot read '12 parsecs' as a size"),
        (f"{HEAD}\na,-5,disk,1,1,1,\n", 2, "bytes: -5 is not 0 or more"),
        (f"{HEAD}\na,1.5,disk,1,1,1,\n", 2, "bytes: '1.5' is not a whole number of bytes"),
        (f"{HEAD}\na,1,disk,-1,1,1,\n", 2, "small_reads: -1 is not 0 or more"),
        (f"{HEAD}\na,1,disk,1k,1,1,\n", 2, "small_reads: '1k' is not a number"),
        (f"{HEAD}\na,1,disk,nan,1,1,\n", 2, "small_reads: nan is not 0 or more"),
        (f"{HEAD}\na,1,disk,inf,1,1,\n", 2, "small_reads: inf is not 0 or more"),
        (f"{HEAD}\na,1,disk,1,1,1,95\n", 2, "cached_share: 95 is more than 1"),
        (f"{HEAD},kind\na,1,disk,1,1,1,0,tabel\n", 2, "kind: 'tabel' is not known"),
        (f"{HEAD},small_reads_max\na,1,disk,1,1,1,0,5\n", 2, "small_reads is known, and bounded as well"),
        (f"{HEAD},bytes_min,bytes_max\na,,disk,1,1,1,0,5,4\n", 2, "bytes_max is less than bytes_min"),
        (f'{HEAD}\n"a"b,1,disk,1,1,1,0\n', 2, "it is not CSV"),
    ],
)
def test_what_is_off_is_told_with_its_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, text)
    assert caught.value.id == "objects-unreadable"
    assert f"objects.csv, line {line}: {what}" in caught.value.message
    assert caught.value.hint


def test_a_slip_in_a_name_is_guessed(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, f"{HEAD}\na,1,dsk,1,1,1,\n")
    assert (caught.value.hint or "").startswith("Did you mean disk?")
    with pytest.raises(UsageError) as caught:
        read(tmp_path, HEAD.replace("small_writes", "smal_writes"))
    assert (caught.value.hint or "").startswith("Is it smal_writes?")


def test_a_file_that_is_not_there_and_one_that_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read_objects(tmp_path / "none.csv", TIERS)
    assert caught.value.id == "file-missing"
    (tmp_path / "objects.csv").write_bytes(b"object,\xff")
    with pytest.raises(UsageError, match="it is not UTF-8 text, from byte 8 on"):
        read_objects(tmp_path / "objects.csv", TIERS)


def test_objects_without_a_tier_lie_on_the_one_that_is_said(tmp_path: Path) -> None:
    found = read(tmp_path, f"{HEAD}\na,1,,1,1,1,\nb,1,disk,1,1,1,\n", on="flash")
    assert [one.tier for one in found.objects] == ["flash", "disk"]  # type: ignore[attr-defined]


@given(
    rows=st.lists(
        st.tuples(st.text(min_size=1), st.integers(0, 2**60), st.floats(0, 1e15)),
        min_size=1,
        unique_by=lambda row: row[0].strip(),
    )
)
def test_what_is_written_is_read_back(
    rows: list[tuple[str, int, float]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = [
        (name, size, reads)
        for name, size, reads in rows
        if name.strip() and "\r" not in name and name.isprintable()
    ]
    if not rows:
        return
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(HEAD.split(","))
    writer.writerows([name, size, "disk", repr(reads), 0, 0, ""] for name, size, reads in rows)
    path = tmp_path_factory.mktemp("objects") / "objects.csv"
    path.write_text(out.getvalue(), encoding="utf-8", newline="")
    found = read_objects(path, TIERS)
    assert [(one.name, one.size_bytes, one.small_reads) for one in found.objects] == [
        (name.strip(), size, reads) for name, size, reads in rows
    ]


def test_every_column_is_in_the_manual() -> None:
    page = (Path(__file__).parents[3] / "docs" / "place.md").read_text(encoding="utf-8")
    bounds = {name for name in COLUMNS if name.endswith(("_min", "_max"))}
    assert [name for name in COLUMNS if name not in bounds and f"`{name}`" not in page] == []
    assert "`bytes_min`" in page
