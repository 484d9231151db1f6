"""`plimsoll redact`: files and what is printed; the masking itself is tried in tests/unit/reports/redaction."""

from __future__ import annotations

import errno
import gzip
import json
import os
import stat
from pathlib import Path

import pytest

import command
import oracle_objects
from plimsoll.base.errors import WorldError
from plimsoll.flows import redact as flow
from plimsoll.flows.redact import redacted
from plimsoll.placement.objects.oracle_samples import read_sample
from plimsoll.reports.redaction import Pseudonyms, Redactor
from plimsoll.reports.sources import Source
from reportgen.invent import invent
from reportgen.layout import Form, plain_layouts
from reportgen.report import render

LAYOUT = next(layout for layout in plain_layouts() if layout.form is Form.HTML)
REPORT = render(invent(7), LAYOUT)
DB_NAME = invent(7).header.db_name
KEY = b"a key of the tests, known to all"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / f"awrrpt_{DB_NAME}_1_2.html"
    path.write_bytes(REPORT)
    return path


def test_files_go_into_a_folder_that_only_the_user_reads(report: Path, tmp_path: Path) -> None:
    done = command.here("redact", report, "--out", tmp_path / "out", "--json")
    assert done.returncode == 0, done.stderr
    (file,) = json.loads(done.stdout)["data"]["files"]
    out = Path(file["out"])
    assert (stat.S_IMODE(out.stat().st_mode), stat.S_IMODE(out.parent.stat().st_mode)) == (0o600, 0o700)
    assert DB_NAME not in out.name
    assert DB_NAME not in out.read_text()
    assert out.name.endswith("_1_2.html")
    assert report.read_bytes() == REPORT


def test_a_folder_is_redacted_with_what_is_packed_in_it(report: Path, tmp_path: Path) -> None:
    folder = tmp_path / "awr"
    folder.mkdir()
    report.rename(folder / report.name)
    (folder / "more.html.gz").write_bytes(gzip.compress(REPORT))
    done = command.here("redact", folder, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    made = sorted((tmp_path / "out").iterdir())
    assert len(made) == 2
    assert made[0].read_bytes() == made[1].read_bytes()


def _all_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*"))


@pytest.mark.parametrize(
    ("named", "out"),
    [
        ("awr", "awr"),
        ("awr", "awr/to-send"),
        ("awr", "awr/deep/er/to-send"),
        ("awr", "link"),
        ("awr", "link/to-send"),
        ("link", "awr/to-send"),
        ("awr", "beside/../awr"),
        ("awr/report.html", "awr"),
        ("awr/report.html", "link"),
        ("awr/report.html", "."),
        ("link/report.html", "awr"),
        ("awr", "."),
        ("beside/leads.html", "beside"),
        ("beside/leads.html", "awr"),
        ("beside", "awr/deep"),
    ],
)
def test_reports_with_names_and_without_never_lie_in_one_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, out: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("awr/deep").mkdir(parents=True)
    Path("awr/report.html").write_bytes(REPORT)
    Path("link").symlink_to("awr")
    Path("beside").mkdir()
    Path("beside/leads.html").symlink_to("../awr/report.html")
    Path("beside/deep").symlink_to("../awr/deep")
    before = _all_files(tmp_path)
    done = command.here("redact", named, "--out", out, "--key", "key", "--json")
    assert done.returncode == 2, done.stderr
    told = json.loads(done.stdout)["data"]
    assert told["id"] == "redact-mixed"
    assert "--out" in told["hint"]
    assert _all_files(tmp_path) == before


@pytest.mark.parametrize(("named", "out"), [("awr", "awr-to-send"), ("awr/report.html", "awr/to-send")])
def test_a_folder_beside_the_reports_is_apart_from_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, out: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("awr").mkdir()
    Path("awr/report.html").write_bytes(REPORT)
    assert command.here("redact", named, "--out", out).returncode == 0


def test_nothing_is_ever_written_over(report: Path, tmp_path: Path) -> None:
    words = ("redact", report, "--out", tmp_path / "out", "--key", tmp_path / "key")
    assert command.here(*words).returncode == 0
    assert command.here(*words).returncode == 0
    first, second = sorted((tmp_path / "out").iterdir(), key=lambda path: len(path.name))
    assert second.name == f"{first.stem}-2.html"
    assert first.read_bytes() == second.read_bytes()


def test_a_link_in_the_folder_is_not_followed(report: Path, tmp_path: Path) -> None:
    words = ("redact", report, "--out", tmp_path / "out", "--key", tmp_path / "key")
    command.here(*words)
    (made,) = (tmp_path / "out").iterdir()
    made.unlink()
    made.symlink_to(report)
    assert command.here(*words).returncode == 0
    assert report.read_bytes() == REPORT


def test_a_disk_that_is_full_leaves_no_part_of_a_report(
    report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    done = command.here("redact", report, "--out", tmp_path / "out", "--json")
    assert json.loads(done.stdout)["data"]["id"] == "out-refused"
    assert not (tmp_path / "out").exists()
    (tmp_path / "kept").mkdir()
    command.here("redact", report, "--out", tmp_path / "kept" / "new" / "out")
    assert list((tmp_path / "kept").iterdir()) == []
    command.here("redact", report, "--out", tmp_path / "kept")
    assert list((tmp_path / "kept").iterdir()) == []


def test_the_key_is_made_once_and_stays_out_of_everything(report: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    first = command.here("redact", report, "--key", key)
    second = command.here("redact", report, "--key", key)
    assert first.stdout == second.stdout
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert key.read_text() not in first.stdout + first.stderr
    assert command.here("redact", report).stdout != first.stdout


def test_a_key_is_not_made_where_it_would_be_sent(report: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("out")
    for key in ("out/key", "link/deep/key"):
        done = command.here("redact", report, "--out", tmp_path / "out", "--key", tmp_path / key, "--json")
        told = json.loads(done.stdout)["data"]
        assert (done.returncode, told["id"]) == (2, "redact-key")
        assert "would be given away" in told["message"]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("content", [b"", b"short"])
def test_a_key_that_can_be_guessed_is_refused(report: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "key").write_bytes(content)
    (tmp_path / "key").chmod(0o600)
    done = command.here("redact", report, "--key", tmp_path / "key", "--json")
    assert done.returncode == 2
    told = json.loads(done.stdout)["data"]
    assert told["id"] == "redact-key"
    assert "can be guessed" in told["message"]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o602, 0o777])
def test_a_key_that_others_can_get_at_is_refused(report: Path, tmp_path: Path, mode: int) -> None:
    key = tmp_path / "key"
    key.write_bytes(KEY)
    key.chmod(mode)
    done = command.here("redact", report, "--key", key, "--json")
    assert done.returncode == 2
    told = json.loads(done.stdout)["data"]
    assert told["id"] == "redact-key"
    assert f"which has mode {mode:04o}" in told["message"]
    key.chmod(0o400)
    assert command.here("redact", report, "--key", key).returncode == 0


def test_several_reports_are_not_printed(report: Path, tmp_path: Path) -> None:
    (tmp_path / "other.html").write_bytes(REPORT)
    done = command.here("redact", tmp_path, "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["data"]["id"] == "redact-several"


def test_what_cannot_be_redacted_is_named_and_the_others_are(report: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("call the harbour master\n")
    done = command.here("redact", report, notes, "--out", tmp_path / "out", "--json")
    assert done.returncode == 5
    made, failed = json.loads(done.stdout)["data"]["files"]
    assert made["out"] is not None
    assert (failed["out"], failed["source"]) == (None, str(notes))
    assert "no report that is known here" in failed["problem"]


def test_a_folder_without_files_says_that_nothing_was_found(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = command.here("redact", tmp_path / "empty", "--out", tmp_path / "out")
    assert done.returncode == 5
    assert "no file was found in what was named" in done.stderr


def test_standard_input_goes_to_standard_output(tmp_path: Path) -> None:
    import subprocess

    done = subprocess.run([command.PROGRAM, "redact", "-"], input=REPORT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert DB_NAME.encode() not in done.stdout
    assert done.stdout.count(b"\n") == REPORT.count(b"\n")


def test_a_spool_reads_the_same_but_for_names() -> None:
    text = oracle_objects.sample(
        {("SHOP", "ORDERS", ""): oracle_objects.segment(blocks=7, requests=3)},
        statistics={"physical read total IO requests": 5}, waits={"db file sequential read": (3, 0.5)}, times_s={"DB time": 9},
    )  # fmt: skip
    made = redacted(Source("node1.txt", content=text.encode()), KEY)
    before, after = read_sample(text, "a"), read_sample(made.text, "a")
    assert (before.statistics, before.waits, before.times_us, before.host) == (
        after.statistics, after.waits, after.times_us, after.host,
    )  # fmt: skip
    assert list(before.counts.values()) == list(after.counts.values())
    assert list(before.sizes.values()) == list(after.sizes.values())
    assert [place.object_type for place in before.places.values()] == [
        place.object_type for place in after.places.values()
    ]
    assert "SHOP" not in made.text
    assert "ORDERS" not in made.text
    assert made.kinds == ("objects",)


def test_a_name_that_would_stay_keeps_all_of_it_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Redactor, "redacted", lambda self, text, names, dots_group: text)
    made = redacted(Source("made", content=REPORT), KEY)
    assert made.problem is not None
    assert "would have stayed" in made.problem
    assert not made.text
    with pytest.raises(WorldError) as refused:
        flow._without_names(Source("made", content=REPORT), REPORT, Pseudonyms(KEY))
    assert refused.value.id == "redact-survives"


def test_what_no_reader_knows_is_refused() -> None:
    content = b"call the harbour master\n"
    with pytest.raises(WorldError) as refused:
        flow._without_names(Source("notes.txt", content=content), content, Pseudonyms(KEY))
    assert refused.value.id == "redact-unknown"


def test_numbers_that_read_otherwise_are_told(
    report: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Redactor.redacted
    monkeypatch.setattr(
        Redactor,
        "redacted",
        lambda self, text, names, dots_group: whole(self, text, names, dots_group)[: len(text) // 2],
    )
    done = command.here("redact", report, "--out", tmp_path / "out", "--json")
    assert done.returncode == 5
    warnings = json.loads(done.stdout)["warnings"]
    assert [warning["code"] for warning in warnings] == [flow.OTHERWISE]


def test_one_number_that_reads_otherwise_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Redactor.redacted

    def with_one_digit_changed(self: Redactor, text: str, names: list[str], dots_group: bool) -> str:
        made = whole(self, text, names, dots_group)
        at = made.index(".", made.index("per Second")) + 1
        return f"{made[:at]}{(int(made[at]) + 1) % 10}{made[at + 1 :]}"

    assert not redacted(Source("made", content=REPORT), KEY).reads_otherwise
    monkeypatch.setattr(Redactor, "redacted", with_one_digit_changed)
    assert redacted(Source("made", content=REPORT), KEY).reads_otherwise
