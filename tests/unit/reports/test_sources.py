"""Whatever lies in a folder: each thing is read, passed over on purpose, or named with the reason; nothing hangs or grows."""

from __future__ import annotations

import gzip
import io
import os
import socket
import struct
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from plimsoll.base import limits
from plimsoll.base.errors import PlimsollError
from plimsoll.ports import files
from plimsoll.reports import archives, contents
from plimsoll.reports.sources import Source, read_file, sources
from plimsoll.reports.walk import OWN_MARK, Walk

TEXT = b"a line of a report\n" * 20
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def found(*paths: Path) -> list[Source]:
    return list(sources(Walk(paths).entries()))


def outcomes(*paths: Path, below: Path) -> dict[str, str]:
    """Name below the folder → `read`, `passed over`, or the id of the error."""
    return {source.name.removeprefix(f"{below}/"): outcome(source) for source in found(*paths)}


def outcome(source: Source) -> str:
    if source.passed_over:
        return "passed over"
    try:
        source.take()
    except PlimsollError as error:
        told = error
    else:
        return "read"
    assert source.file in told.message
    assert (told.hint or "").endswith(".")
    return told.id


def tar_of(members: dict[str, bytes], mode: str = "w") -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return made.getvalue()


def zip_of(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return made.getvalue()


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bombs that go off at a few MiB, so that the tests are quick; what they rest on is the same."""
    monkeypatch.setattr(archives, "ARCHIVE_FREE_BYTES", 4 << 20)
    monkeypatch.setattr(archives, "REPORT_BYTES_MAX", 2 << 20)


def test_folders_are_read_in_the_order_of_their_names_and_archives_as_they_are_packed(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "2.txt").write_bytes(TEXT)
    (tmp_path / "b" / "1.html").write_bytes(TEXT)
    (tmp_path / "c.txt.gz").write_bytes(gzip.compress(TEXT))
    (tmp_path / "a.zip").write_bytes(zip_of({"z.txt": TEXT, "folder/y.txt": TEXT}))
    (tmp_path / "d.tar").write_bytes(tar_of({"n": TEXT, "m": TEXT}))
    (tmp_path / "e.tgz").write_bytes(tar_of({"x.gz": gzip.compress(TEXT)}, "w:gz"))
    names = [
        "a.zip/z.txt",
        "a.zip/folder/y.txt",
        "b/1.html",
        "b/2.txt",
        "c.txt.gz",
        "d.tar/n",
        "d.tar/m",
        "e.tgz/x.gz",
    ]
    assert [source.name.removeprefix(f"{tmp_path}/") for source in found(tmp_path)] == names
    assert all(source.take() == TEXT for source in found(tmp_path))


def test_what_a_file_is_called_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "report.txt").write_bytes(zip_of({"inner.doc": TEXT}))
    (tmp_path / "report.png").write_bytes(TEXT)
    (tmp_path / "report.zip").write_bytes(gzip.compress(TEXT))
    assert [source.take() for source in found(tmp_path)] == [TEXT, TEXT, TEXT]


def test_an_archive_in_an_archive_is_opened_and_a_deeper_one_is_not(tmp_path: Path) -> None:
    inner = zip_of({"one.txt.gz": gzip.compress(TEXT)})
    (tmp_path / "two.tar.gz").write_bytes(tar_of({"inner.zip": inner}, "w:gz"))
    (tmp_path / "three.zip").write_bytes(zip_of({"two.tar.gz": tar_of({"inner.zip": inner}, "w:gz")}))
    assert outcomes(tmp_path, below=tmp_path) == {
        "three.zip/two.tar.gz/inner.zip/one.txt.gz": "archive-too-deep",
        "two.tar.gz/inner.zip/one.txt.gz": "read",
    }


def test_what_cannot_be_a_report_is_named_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    (tmp_path / "shot.png").write_bytes(PNG)
    (tmp_path / "random").write_bytes(os.urandom(5000))
    (tmp_path / "zeros").write_bytes(bytes(5000))
    (tmp_path / "other.bz2").write_bytes(b"BZh91AY&SY" + bytes(40))
    (tmp_path / "letter.docx").write_bytes(
        zip_of({"[Content_Types].xml": b"<x/>", "word/document.xml": b"<x/>"})
    )
    (tmp_path / "empty.gz").write_bytes(gzip.compress(b""))
    (tmp_path / "empty.zip").write_bytes(zip_of({}))
    assert outcomes(tmp_path, below=tmp_path) == {
        "empty.gz": "report-file-empty",
        "empty.txt": "report-file-empty",
        "empty.zip": "archive-empty",
        "letter.docx": "report-binary",
        "other.bz2": "report-packed-otherwise",
        "random": "report-binary",
        "shot.png": "report-binary",
        "zeros": "report-binary",
    }


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "gbk"]
)
def test_text_of_any_encoding_may_be_a_report(encoding: str) -> None:
    text = "WORKLOAD REPOSITORY report\f\r\n\tSnap Id\n" * 50
    contents.check_text(text.encode(encoding), "it")


def test_a_damaged_report_is_still_one(tmp_path: Path) -> None:
    damaged = bytearray(TEXT * 10)
    damaged[::40] = bytes(len(damaged[::40]))
    contents.check_text(bytes(damaged), "it")


def test_programs_data_files_and_hidden_names_are_passed_over_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "report.txt").write_bytes(TEXT)
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / OWN_MARK).write_text("{}")
    (tmp_path / "old" / "reports.csv").write_text("a,b")
    (tmp_path / "program").write_bytes(b"\x7fELF" + bytes(60))
    (tmp_path / "pack.zip").write_bytes(zip_of({".DS_Store": b"x", "__MACOSX/._a": b"x", "a": TEXT}))
    walk = Walk([tmp_path])
    seen = list(sources(walk.entries()))
    assert walk.passed_over == 2
    names = {source.name.removeprefix(f"{tmp_path}/"): outcome(source) for source in seen}
    assert names == {
        "pack.zip/.DS_Store": "passed over",
        "pack.zip/__MACOSX/._a": "passed over",
        "pack.zip/a": "read",
        "program": "passed over",
    }


def test_a_program_that_is_named_itself_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "program").write_bytes(b"\x7fELF" + bytes(60))
    (source,) = found(tmp_path / "program")
    assert outcome(source) == "report-binary"


def test_pipes_sockets_and_devices_are_never_opened(tmp_path: Path) -> None:
    """Opening the pipe would wait for a writer for ever."""
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        (tmp_path / "null").symlink_to("/dev/null")
        assert outcomes(tmp_path, below=tmp_path) == {
            "null": "report-not-a-file",
            "pipe": "report-not-a-file",
            "socket": "report-not-a-file",
        }


def test_a_loop_of_folders_is_named_and_ends(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "b" / "one.txt").write_bytes(TEXT)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    assert outcomes(tmp_path, below=tmp_path) == {
        "a/b/one.txt": "read",
        "a/b/up": "report-loop",
        "self": "report-loop",
    }


def test_a_folder_with_two_names_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.txt").write_bytes(TEXT)
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert list(outcomes(tmp_path, tmp_path / "a", below=tmp_path)) == ["a/one.txt"]


def test_folders_deeper_than_anybodys_end_the_walk(tmp_path: Path) -> None:
    deep = tmp_path
    for _ in range(limits.FOLDER_DEPTH_MAX):
        deep /= "d"
    deep.mkdir(parents=True)
    (deep / "one.txt").write_bytes(TEXT)
    assert list(outcomes(tmp_path, below=tmp_path).values()) == ["report-too-deep"]


def test_a_missing_name_and_a_dead_link(tmp_path: Path) -> None:
    (tmp_path / "dead").symlink_to(tmp_path / "nowhere")
    named, linked = found(tmp_path / "none", tmp_path)
    assert (outcome(named), named.unopened) == ("report-missing", True)
    assert (outcome(linked), linked.unopened) == ("report-missing", False)


def test_a_name_of_strange_bytes_can_be_printed(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"r\xe9port.txt")).write_bytes(TEXT)
    (source,) = found(tmp_path)
    assert source.name.encode().endswith(b"r\\xe9port.txt")
    assert source.take() == TEXT


def test_a_file_that_nobody_lets_us_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the refusal is made; the command line's test has a real one."""
    (tmp_path / "secret.txt").write_bytes(TEXT)

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(files, "open_regular", refuse)
    (source,) = found(tmp_path)
    assert outcome(source) == "report-unopenable"


def test_one_line_of_a_gigabyte_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "line.txt"
    with open(path, "wb") as file:
        file.truncate(1 << 30)
    tracemalloc.start()
    (source,) = found(path)
    assert outcome(source) == "report-too-large"
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


def test_a_packed_gigabyte_is_refused_in_bounded_memory(tmp_path: Path, small_limits: None) -> None:
    with gzip.open(tmp_path / "line.gz", "wb") as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
    tracemalloc.start()
    assert outcomes(tmp_path, below=tmp_path) == {"line.gz": "report-too-large"}
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()


def bomb_of_zeros(mode: str) -> bytes:
    """Small files of zeros, which pack a thousand times over."""
    return tar_of({"first.txt": TEXT, **{f"{number}.txt": bytes(1 << 20) for number in range(12)}}, mode)


BOMBS: dict[str, Callable[[], bytes]] = {
    "bomb.tar.gz": lambda: bomb_of_zeros("w:gz"),
    "bomb.zip": lambda: zip_of({"first.txt": TEXT, **{f"{n}.txt": bytes(1 << 20) for n in range(12)}}),
    "nested.zip": lambda: zip_of(
        {"first.txt": TEXT, **{f"{n}.zip": zip_of({"a": bytes(1 << 20)}) for n in range(12)}}
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_noticed_and_what_came_before_it_is_read(
    name: str, tmp_path: Path, small_limits: None
) -> None:
    (tmp_path / name).write_bytes(BOMBS[name]())
    seen = [outcome(source) for source in found(tmp_path)]
    assert seen[0] == "read"
    assert seen[-1] == "archive-bomb"
    assert len(seen) < 12


def test_many_reports_that_pack_well_are_no_bomb(tmp_path: Path, small_limits: None) -> None:
    rows = b"".join(b"<tr><td>%d</td><td align=right>%d</td></tr>\n" % (n, n * 7919) for n in range(20_000))
    (tmp_path / "good.tar.gz").write_bytes(tar_of({f"{n}.html": rows for n in range(12)}, "w:gz"))
    assert set(outcomes(tmp_path, below=tmp_path).values()) == {"read"}


def test_a_member_that_claims_to_be_huge(tmp_path: Path) -> None:
    header = tarfile.TarInfo("huge.txt")
    header.size = 1 << 40
    (tmp_path / "huge.tar").write_bytes(header.tobuf() + TEXT)
    assert list(outcomes(tmp_path, below=tmp_path).values()) == ["report-too-large", "archive-broken"]


def test_a_header_that_asks_for_all_memory(tmp_path: Path) -> None:
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 1 << 34
    (tmp_path / "header.tar").write_bytes(tar_of({"one.txt": TEXT})[:1024] + header.tobuf() + bytes(2048))
    assert list(outcomes(tmp_path, below=tmp_path).values()) == ["read", "archive-broken"]


def test_broken_archives_give_what_could_be_unpacked(tmp_path: Path) -> None:
    tar = tar_of({"one.txt": TEXT, "two.txt": TEXT})
    packed = gzip.compress(os.urandom(100_000).hex().encode())
    damaged = bytearray(tar)
    damaged[1024:1100] = b"x" * 76
    locked = bytearray(zip_of({"one.txt": TEXT}))
    locked[6] |= 1
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    torn = bytearray(zip_of({"one.txt": TEXT * 9, "two.txt": TEXT}))
    torn[40:60] = b"y" * 20
    for name, content in {
        "cut.tar": tar[:1100],
        "cut.tar.gz": gzip.compress(tar)[:-4],
        "cut.gz": packed[:-5000],
        "cut.zip": zip_of({"one.txt": TEXT})[:-10],
        "damaged.tar": bytes(damaged),
        "locked.zip": bytes(locked),
        "torn.zip": bytes(torn),
    }.items():
        (tmp_path / name).write_bytes(content)
    seen = outcomes(tmp_path, below=tmp_path)
    assert seen == {
        "cut.gz": "archive-broken",
        "cut.tar/one.txt": "read",
        "cut.tar": "archive-broken",
        "cut.tar.gz/one.txt": "read",
        "cut.tar.gz/two.txt": "read",
        "cut.tar.gz": "archive-broken",
        "cut.zip": "archive-broken",
        "damaged.tar/one.txt": "read",
        "damaged.tar": "archive-broken",
        "locked.zip/one.txt": "archive-locked",
        "torn.zip/one.txt": "archive-broken",
        "torn.zip/two.txt": "read",
    }


def test_a_checksum_that_is_wrong_is_noticed(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(tar_of({"one.txt": TEXT})))
    packed[-8:-4] = struct.pack("<I", 1)
    (tmp_path / "sum.tar.gz").write_bytes(packed)
    assert list(outcomes(tmp_path, below=tmp_path).values()) == ["read", "archive-broken"]


def test_a_file_that_vanishes_or_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vanishing, growing = tmp_path / "a.txt", tmp_path / "b.txt"
    vanishing.write_bytes(TEXT)
    growing.write_bytes(TEXT)
    seen = found(tmp_path)
    vanishing.unlink()
    assert outcome(seen[0]) == "report-changed"
    real = archives.read_bounded

    def slow(stream: io.BytesIO, name: str, chunk_bytes: int) -> bytes:
        os.truncate(growing, 7)
        return real(stream, name, chunk_bytes=chunk_bytes)

    monkeypatch.setattr(archives, "read_bounded", slow)
    with pytest.raises(PlimsollError, match=r"changed from 380 B to 7 B while it was read"):
        read_file(growing)


def test_links_and_folders_in_an_archive_are_no_files(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "links.tar", "w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE):
            info = tarfile.TarInfo(f"m{kind!r}")
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        info = tarfile.TarInfo("../../one.txt")
        info.size = len(TEXT)
        archive.addfile(info, io.BytesIO(TEXT))
    assert outcomes(tmp_path, below=tmp_path) == {"links.tar/../../one.txt": "read"}


def test_weights_add_up_to_what_lies_on_disk(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(TEXT)
    (tmp_path / "b.tar").write_bytes(tar_of({f"{number}": TEXT for number in range(50)}))
    total = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert 0.5 * total < sum(source.weight_bytes for source in found(tmp_path)) <= total


def test_no_file_stays_open(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zip_of({"a": TEXT}))
    (tmp_path / "b.tar.gz").write_bytes(gzip.compress(tar_of({"a": TEXT}))[:-9])
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(50):
        found(tmp_path)
    assert len(os.listdir("/proc/self/fd")) == before
