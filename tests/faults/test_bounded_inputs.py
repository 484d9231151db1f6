"""All that a user names goes through one door: what has no end, waits, nests without bounds or grows out of nothing is refused.

What was seen: `fio FIFO` waited for ever, `assess --demand /dev/zero` read until there was no memory, JSON of 200,000 brackets
ended in a traceback, a tar of 42 KB became 5 GB, and a page of 33 KB packed took 6.9 GB.
"""

from __future__ import annotations

import gzip
import itertools
import os
import shutil
import struct
import subprocess
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

import command
import forked_command
from plimsoll.cli import main
from zygote import Zygote

MEMORY_BYTES_MAX = 700 << 20
"""Far below what the inputs would take, well above what the largest command takes by itself (Arrow and its libraries)."""

VERBS = {
    "fio": ("fio", "{}"),
    "import": ("import", "{}"),
    "read": ("read", "{}"),
    "demand": ("demand", "{}"),
    "assess": ("assess", "--demand", "{}", "--target", "sim:"),
    "line": ("line", "sim:", "--demand", "{}"),
    "orion": ("orion", "-run", "simple", "-testname", "{}"),
    "slob": ("prove", "slob", "--database", "embedded", "--conf", "{}"),
    "store": ("store", "list", "--store", "{}"),
    "report": ("report", "latest", "--store", "{}"),
    "io": ("io", "{}"),
}
KINDS = [
    "pipe",
    "zeros",
    "endless text",
    "brackets",
    "deep objects",
    "one long number",
    "sparse",
    "socket",
    "folder of itself",
]


@pytest.fixture
def named(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """An input of the kind, under a name that each verb would take."""
    path = tmp_path / "input.lun"
    kind = request.param
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "zeros":
        path.symlink_to("/dev/zero")
    elif kind == "endless text":
        path.symlink_to("/proc/kmsg" if os.geteuid() == 0 else "/dev/random")
    elif kind == "brackets":
        path.write_text("[" * 200_000)
    elif kind == "deep objects":
        path.write_text('{"a":' * 100_000 + "1" + "}" * 100_000)
    elif kind == "one long number":
        path.write_text('{"fio version": ' + "9" * 2_000_000 + "}")
    elif kind == "sparse":
        with open(path, "wb") as file:
            file.truncate(1 << 40)
    elif kind == "socket":
        _make_socket(path)
    else:
        path.mkdir()
        (path / "again").symlink_to(path)
    return path


def _make_socket(path: Path) -> None:
    import socket

    with socket.socket(socket.AF_UNIX) as made:
        here = os.open(path.parent, os.O_RDONLY)
        made.bind(f"/proc/self/fd/{here}/{path.name}")
        os.close(here)


@pytest.fixture(scope="module")
def forks() -> Iterator[Zygote]:
    """The process off which commands are forked whose memory is measured."""
    with forked_command.parent() as made:
        yield made


def run(forks: Zygote, words: Sequence[str | Path]) -> tuple[int, str, int]:
    """Exit status, what was said on both streams, and the most memory that the command held."""
    done = forked_command.measured(forks, *words)
    return done.returncode, done.stdout + done.stderr, done.peak_bytes


def words_of(verb: str, named: Path) -> list[str]:
    """The command with the input's name in it."""
    if verb == "io" and named.is_dir():
        pytest.skip("a folder is what it takes")
    return [word.format(named.with_suffix("") if verb == "orion" else named) for word in VERBS[verb]]


def is_told(status: int, said: str) -> None:
    """A refusal in our own words."""
    assert status in (1, 2, 3, 4, 5), said[-2000:]
    assert "Traceback" not in said
    assert "error: " in said or "note: " in said


@pytest.mark.parametrize("named", KINDS, indirect=True)
@pytest.mark.parametrize("verb", VERBS)
def test_what_cannot_be_an_input(named: Path, verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In this process, which the test's own time limit ends if it waits."""
    status = main.run(words_of(verb, named))
    said = capsys.readouterr()
    is_told(status, said.out + said.err)


@pytest.mark.parametrize("named", ["zeros", "sparse", "one long number"], indirect=True)
@pytest.mark.parametrize("verb", ["fio", "import", "read", "assess", "store"])
def test_what_would_take_all_memory(forks: Zygote, named: Path, verb: str) -> None:
    status, said, peak = run(forks, words_of(verb, named))
    is_told(status, said)
    assert peak < MEMORY_BYTES_MAX


def test_an_archive_with_holes(forks: Zygote, tmp_path: Path) -> None:
    """GNU tar keeps the places of holes, and whoever unpacks it makes zeros of them."""
    tar = shutil.which("tar")
    if tar is None:
        pytest.skip("no tar")
    for number in range(50):
        with open(tmp_path / f"report-{number}.txt", "wb") as file:
            file.write(b"WORKLOAD REPOSITORY report for\n")
            file.truncate(100 << 20)
    archive = tmp_path / "reports.tar"
    for style in ("gnu", "posix"):
        words = [tar, "--sparse", f"--format={style}", "-cf", archive, "-C", tmp_path]
        subprocess.run([*words, *(f"report-{number}.txt" for number in range(50))], check=True, timeout=60)
        assert archive.stat().st_size < 1 << 20
        status, said, peak = run(forks, ["read", archive])
        assert status == 5
        assert said.count("is stored with holes, which no report has") == 50
        assert peak < MEMORY_BYTES_MAX


def test_the_good_beside_the_bad(tmp_path: Path) -> None:
    """One report in a folder of inputs without end is read, and the status remembers the others."""
    from tiny_reports import awr

    os.mkfifo(tmp_path / "a.txt")
    (tmp_path / "b.txt").symlink_to("/dev/zero")
    (tmp_path / "c.txt").write_bytes(awr())
    (tmp_path / "d.json").write_text("[" * 200_000)
    done = command.here("read", tmp_path, "--json")
    assert done.returncode == 5
    reports = command.document(done)["data"]["reports"]
    assert {report["file"].rpartition("/")[2]: report["status"] == "unreadable" for report in reports} == {
        "a.txt": True, "b.txt": True, "c.txt": False, "d.json": True,
    }  # fmt: skip


def _gzipped(parts: Iterator[bytes]) -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    return b"".join([*(packer.compress(part) for part in parts), packer.flush()])


def _member(name: str, kind: bytes, size: int, pax: dict[str, str] | None = None) -> bytes:
    info = tarfile.TarInfo(name)
    info.type, info.size, info.pax_headers = kind, size, pax or {}
    return info.tobuf(tarfile.PAX_FORMAT if pax else tarfile.GNU_FORMAT)


def _long_map() -> bytes:
    """GNU tar's form 1.0: the map begins the content, and says itself how long it is."""
    lines = 120_000_000
    size = 2 * lines // 512 * 512
    pax = {
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": "a",
        "GNU.sparse.realsize": "1",
    }
    zeros = b"0\n" * (1 << 19)
    begin = b"%d\n" % (lines // 2)
    rest = (zeros for _ in range(size // len(zeros)))
    return _gzipped(itertools.chain([_member("a", tarfile.REGTYPE, size, pax), begin], rest))


def _long_old_map() -> bytes:
    """The old form: blocks of the map, each of which says that another one follows."""
    head = bytearray(_member("a", tarfile.GNUTYPE_SPARSE, 0))
    head[482] = 1
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    block = b"00000000001\0" * 42 + b"\1" + bytes(7)
    return _gzipped(itertools.chain([bytes(head)], (block * 1000 for _ in range(450))))


def _headers_without_end() -> bytes:
    """Each of a length that may be, one before the other."""
    header = _member("a", tarfile.GNUTYPE_LONGNAME, 1 << 20) + b"x" * (1 << 20)
    return _gzipped(itertools.chain([_member("b", tarfile.DIRTYPE, 0)], (header for _ in range(240))))


def _words_for_all() -> bytes:
    """Each header says something else of all members."""

    first = b"".join(b"16 a000%04d=bcd\n" % at for at in range(10_000))

    def header(number: int) -> bytes:
        records = first.replace(b"a000", b"a%03d" % number)
        head = _member("a", b"g", len(records))
        return head + records + bytes(-len(records) % 512) + _member("b", tarfile.DIRTYPE, 0)

    return _gzipped(header(number) for number in range(500))


def _empty_members() -> bytes:
    """190 times the same thousand."""
    thousand = b"".join(_member(f"{number}.txt", tarfile.REGTYPE, 0) for number in range(1000))
    return _gzipped(thousand for _ in range(190))


def _empty_parts() -> bytes:
    return gzip.compress(b"") * 3_000_000


def _entries() -> bytes:
    """A directory of far more files than the limit, packed."""
    entry = struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    count = 2_500_000
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0, 0, len(entry) * count, 4, 0)
    return _gzipped(itertools.chain([b"PK\3\4"], (entry * 1000 for _ in range(count // 1000)), [end]))


OUT_OF_PROPORTION = {
    "a map of holes": (_long_map, "is stored with holes"),
    "an old map of holes": (_long_old_map, "a header of impossible length"),
    "headers without end": (_headers_without_end, "a header of impossible length"),
    "words for all members": (_words_for_all, "there is no file in"),
    "empty members": (_empty_members, "holds more than 50,000 files"),
    "empty parts": (_empty_parts, "is packed in more than 100,000 parts"),
    "entries of a zip": (_entries, "longer than 16"),
}


@pytest.mark.parametrize("kind", OUT_OF_PROPORTION)
def test_an_archive_that_asks_for_too_much(forks: Zygote, kind: str, tmp_path: Path) -> None:
    make, expected = OUT_OF_PROPORTION[kind]
    (tmp_path / "input").write_bytes(make())
    status, said, peak = run(forks, ["read", tmp_path / "input"])
    is_told(status, said)
    assert expected in said
    assert peak < MEMORY_BYTES_MAX


def test_a_zip_whose_directory_is_a_hole(forks: Zygote, tmp_path: Path) -> None:
    """A directory of 3 GiB in a file that takes a few blocks."""
    size = 3 << 30
    end = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, 1, 1, size, 4)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, size + 4, 1)
    last = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    with open(tmp_path / "input.zip", "wb") as file:
        file.write(b"PK\3\4")
        file.seek(size + 4)
        file.write(end + locator + last)
    status, said, peak = run(forks, ["read", tmp_path / "input.zip"])
    is_told(status, said)
    assert "the directory of" in said
    assert peak < MEMORY_BYTES_MAX


UNPACKED_BYTES = 16 << 20
_PAGE = b"<html><h1>WORKLOAD REPOSITORY report for</h1>\n"
_CLUSTER = b"<html><h1>WORKLOAD REPOSITORY REPORT (RAC)</h1><table><tr><th>I#</th><th>Startup</th></tr>"
_TEXT = b"WORKLOAD REPOSITORY report for\n\n"
_ADDM = _TEXT + b"  ADDM Report for Task 'T'\n  ------------------------\n\n"
_FINDING = b"Finding 1: Disks\nImpact is 1 active sessions, 5% of total activity.\n------\n"
_WIDE_RULER = b"-- " * 499 + b"--\n"


def _titled(title: bytes, *headings: bytes) -> bytes:
    """A page up to the rows of a table."""
    return _PAGE + b"<h3>" + title + b"</h3><table><tr><th>" + b"<th>".join(headings) + b"</tr>"


class Unlikely(NamedTuple):
    """What a report begins with, what it then is over and over, what is said of it, and how it ends."""

    begin: bytes
    piece: bytes
    said: str
    end: bytes = b""

    def packed(self) -> bytes:
        """A few kilobytes."""
        many = self.piece * ((1 << 20) // len(self.piece))
        pieces = (many for _ in range(UNPACKED_BYTES // len(many)))
        return _gzipped(itertools.chain([self.begin], pieces, [self.end]))


_CELLS, _LINES = "cells in a report of this length", "lines in a report of this length"

UNLIKELY = {
    "tables that never close": Unlikely(_PAGE, b"<table>", "more than 10,000 tables"),
    "tables in tables": Unlikely(_PAGE, b"<table><tr><td>", "tables in tables, more than 32 deep"),
    "small tables": Unlikely(_PAGE, b"<table><tr><td>1</table>", "more than 10,000 tables"),
    "wide tables": Unlikely(
        _PAGE, b"<table><tr>" + b"<td colspan=200>" * 5 + b"</table>", "bytes of column names"
    ),
    "short rows under wide headings": Unlikely(
        _titled(b"Load Profile", *[b"Per Second"] * 20_000), b"<tr><td>1", _CELLS
    ),
    "rows of headings": Unlikely(_PAGE + b"<table>", b"<tr><th>a<th>b", "more than 100 rows of headings"),
    "headings over many columns": Unlikely(
        _PAGE + b"<table>", b"<tr><th colspan=200>" + b"word " * 4000, "bytes of column names"
    ),
    "rows of a view": Unlikely(
        _titled(b"SQL ordered by Gets", b"Buffer Gets", b"Executions", b"SQL Id"),
        b"<tr><td>1",
        "values of typed views",
    ),
    "words for all rows of a view": Unlikely(
        _titled(b"Activity Over Time", b"Slot Time (Duration)", b"Slot Count", b"Event", b"Event Count")
        + b"<tr><td>"
        + b"long " * 200_000
        + b"<td>5<td>e<td>7</tr>",
        b"<tr><td><td><td>e<td>5",
        "bytes of words in typed views",
    ),
    "instances": Unlikely(_CLUSTER, b"<tr><td>1<td>2", "more than 1,000 instances"),
    "lines of a page": Unlikely(_PAGE, b"\n", _LINES),
    "errors in a page": Unlikely(_PAGE, b"ORA-00942: x\n", _LINES),
    "findings in a page": Unlikely(_PAGE + b"<pre>\n" + _ADDM, _FINDING, _CELLS),
    "lines of a text": Unlikely(_TEXT, b"\n", _LINES),
    "rulers": Unlikely(_TEXT, b"a\n--\nb\n\n", _LINES),
    "titles and rulers": Unlikely(_TEXT, b"A Title\n~~~~~~~\n--- ---\n1   2\n", "more than 10,000 tables"),
    "wide rulers": Unlikely(_TEXT, _WIDE_RULER + b"x\n\n", "bytes of column names"),
    "rows under a wide ruler": Unlikely(_TEXT + _WIDE_RULER, b"x\n", _CELLS),
    "headings of a text": Unlikely(
        _TEXT, b"-- " + b"ab " * 2000 + b"--\n", "bytes of column names", b"------- " * 500 + b"\nx\n"
    ),
    "labels": Unlikely(
        _TEXT, b"Elapsed: 1  DB Time: 2  Other: 3\nOther: 3  DB Time: 2  Elapsed: 1\n", _CELLS
    ),
    "a row that goes on": Unlikely(_TEXT + b"- --\na bb\n", b"  a word that goes on and on\n", ""),
    "tabs": Unlikely(_TEXT, b"\t", "tabs for more than"),
    "one line": Unlikely(_TEXT, b"no end ", "a line of more than 262,144 bytes"),
    "findings": Unlikely(_ADDM, _FINDING, _CELLS),
    "recommendations": Unlikely(
        _ADDM + _FINDING + b"Words that each of them repeats.\n" * 10_000,
        b"   Recommendation 1: Disks\n   -----\n",
        "bytes of findings",
    ),
    "analyses": Unlikely(_TEXT, b"ADDM for Task 'T'\n-----------------\n", _CELLS),
}


@pytest.mark.parametrize("kind", UNLIKELY)
def test_a_report_that_makes_much_of_memory(forks: Zygote, kind: str, tmp_path: Path) -> None:
    """A few kilobytes packed, 16 MiB unpacked: what is read of it takes no more memory than a report of that length may."""
    (tmp_path / "report.gz").write_bytes(UNLIKELY[kind].packed())
    assert (tmp_path / "report.gz").stat().st_size < 100_000
    status, said, peak = run(forks, ["read", tmp_path / "report.gz"])
    assert status == 5
    assert "Traceback" not in said
    assert UNLIKELY[kind].said in said
    assert peak < MEMORY_BYTES_MAX


def test_what_is_not_read_is_told_and_stops_no_other_report(tmp_path: Path) -> None:
    """The bound comes first; of problems there are some thousands, and the last one says how many more."""
    from tiny_reports import awr

    odd_rows = Unlikely(_titled(b"X", b"a", b"b", b"c"), b"<tr><td>", "")
    (tmp_path / "a.gz").write_bytes(odd_rows.packed())
    (tmp_path / "b.gz").write_bytes(UNLIKELY["tables that never close"].packed())
    (tmp_path / "c.txt").write_bytes(awr().removesuffix(b"<p>End of Report</p>"))
    done = command.here("read", tmp_path, "--json")
    assert done.returncode == 5
    reports = {
        report["file"].rpartition("/")[2]: report for report in command.document(done)["data"]["reports"]
    }
    assert {report["status"] for report in reports.values()} == {"partial"}
    assert [problem["code"] for problem in reports["c.txt"]["problems"]] == ["report-cut"]
    rows, tables = (reports[name]["problems"] for name in ("a.gz", "b.gz"))
    assert [rows[0]["code"], tables[0]["code"]] == ["page-unlikely"] * 2
    assert (rows[0]["line"], tables[0]["loses"]) == (2, True)
    many = [problem for problem in rows if problem["code"] == "problems-many"]
    assert [problem["loses"] for problem in many] == [True]
    assert rows.index(many[0]) == 4_999
