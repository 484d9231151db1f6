"""`plimsoll orion` as somebody sees it who comes from ORION: the terminal, and every file that is left."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from plimsoll.cli import main
from transcript import assert_golden, transcribe

GOLDEN = Path(__file__).parent / "orion"
MINUTE = re.compile(r"(?<=_)\d{8}_\d{4}(?=_|$)", re.MULTILINE)
VERSION = re.compile(r"plimsoll \d+\.\d+\.\d+[^\s)]*")
LINES_MAX = 60
STARTED = re.compile(r"from \d{4}-\d\d-\d\dT[\d:.+]+ for")

CASES = {
    "help": "orion -help",
    "simple": "orion -run simple -duration 1",
    "oltp-of-12-1": "orion -duration 1 -run OLTP -testname orion.lun --layout 12.1 -hugenotneeded -num_disks 1",
    "sequential-verbose": "orion -run advanced -type seq -num_streamIO 2 -matrix point -num_small 1 -num_large 2"
    " -duration 1 -cache_size 4 -verbose",
    "misspelt": "orion -run simple -num_disk 4",
    "no-lun": "orion -run simple -testname mytest",
    "lun-broken": "orion -run simple -testname broken",
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("orion.lun").write_text("sim:mean=100us,servers=4\n")
    Path("broken.lun").write_text("sim:mean=100us\n/dev/none\n")


@pytest.mark.parametrize("case", CASES)
def test_transcript(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = {*Path().iterdir()}
    seen = [transcribe(CASES[case].split(), capsys, talk="-duration" not in CASES[case])]
    seen += [f"--- {path}\n{beginning(path)}" for path in sorted({*Path().iterdir()} - before)]
    text = STARTED.sub("from [TIME] for", MINUTE.sub("[MINUTE]", "".join(seen)))
    assert_golden(GOLDEN / f"{case}.txt", VERSION.sub("plimsoll [VERSION]", text))


def beginning(path: Path) -> str:
    """A file whole, of long ones the first lines."""
    lines = path.read_text().splitlines(keepends=True)
    return "".join(lines[:LINES_MAX])


def test_json_is_one_document_and_names_the_files(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main.run(["orion", "-run", "simple", "-duration", "1", "-verbose", "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    document = json.loads(line)
    assert document["kind"] == "orion"
    assert [Path(name).is_file() for name in document["data"]["files"]] == [True] * 6


def test_no_transcript_is_left_of_a_case_that_went() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == {*CASES}
