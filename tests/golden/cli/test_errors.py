"""Every refusal that can be had without a special machine, word for word: one line, then what to do, then the exit status."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from plimsoll.cli import main
from transcript import assert_golden, transcribe

GOLDEN = Path(__file__).parent / "errors"
MIB = 1 << 20

# {F} is a folder of the test's own, filled by `folder` below.
CASES: dict[str, str] = {
    "no-such-verb": "frobnicate",
    "no-such-option": "io sim: --frob",
    "no-target": "io",
    "value-out-of-range": "io sim: --depth 0",
    "choice-unknown": "io sim: --rate 100 --arrivals weekly",
    "not-above-zero": "io sim: --rate 0",
    "size-unreadable": "io sim: --block 8x",
    "size-of-part-of-a-byte": "io sim: --block 0.3",
    "duration-unreadable": "io sim: --runtime soon",
    "rate-unreadable": "io sim: --rate fast",
    "rw-unknown": "io sim: --rw randomread",
    "read-share-conflict": "io sim: --rw randread --read-share 0.5",
    "read-share-beyond": "io sim: --rw randrw --read-share 1.5",
    "simulation-unreadable": "io sim:law=uniform",
    "simulation-out-of-range": "io sim:mean=0us",
    "spec-invalid": "io sim: --runtime 1000d",
    "engine-unknown": "io {F} --engine mmap",
    "engine-needs-device": "io sim: --engine psync",
    "engine-needs-simulation": "io {F}/full --engine sim",
    "slo-unreadable": "line sim: --slo fast",
    "slo-quantile-odd": "line sim: --slo p100=1ms",
    "slo-limit-odd": "line sim: --slo p99=0ms",
    "slo-class-unknown": "line sim: --slo redo.p99=2ms",
    "target-missing": "io {F}/none",
    "target-missing-folder": "io {F}/no/none --prefill",
    "target-too-small": "io {F}/small",
    "target-smaller-than-asked": "io {F}/full --size 1g",
    "target-odd": "io {F}/pipe",
    "target-sparse": "io {F}/sparse",
    "target-zeros": "io {F}/zeros",
    "block-misaligned": "io {F}/full --block 1000",
    "disk-full": "io {F} --size 100000t",
    "file-exists": "io {F}/full --prefill",
    "foreign-file-refused": "io {F}/full --rw randwrite",
    "events-refused": "io sim: --events {F}/no/events",
    "run-unknown": "store show latest",
    "report-without-run": "report latest",
    "store-is-a-folder": "store list --store {F}",
    "store-is-something-else": "store list --store {F}/small",
    "store-location-unknown": "store list --store mysql://me:secret@db/runs",
    "store-unreachable": "store list --store postgresql://me:secret@127.0.0.1:1/runs",
    "database-missing": "demand --seconds 1",
    "database-unknown": "demand --database orakel://me:secret@db/shop --seconds 1",
    "database-unreachable": "demand --database postgresql://me:secret@127.0.0.1:1/shop --seconds 1",
    "demand-source": "assess --target sim:",
    "demand-source-twice": "assess --target sim: --demand latest --database embedded",
    "demand-missing": "assess --target sim: --demand {F}/none.json",
    "demand-no-json": "assess --target sim: --demand {F}/small",
    "demand-something-else": "assess --target sim: --demand {F}/other.json",
    "burst-factor-below-one": "assess --target sim: --demand latest --burst-factor 0.5",
    "demo-folder-missing": "demo --folder {F}/none",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of each thing that is refused."""
    made = tmp_path_factory.mktemp("bad-input")
    (made / "full").write_bytes(os.urandom(64 * MIB))
    (made / "small").write_bytes(b"not much\n" * 1000)
    (made / "zeros").write_bytes(bytes(64 * MIB))
    (made / "other.json").write_text('{"kind": "line", "data": {"line_iops": 1}}')
    with open(made / "sparse", "wb") as file:
        file.truncate(64 * MIB)
    os.mkfifo(made / "pipe")
    os.sync()
    return made


def words_of(case: str, folder: Path) -> Sequence[str]:
    return CASES[case].replace("{F}", str(folder)).split()


@pytest.mark.parametrize("case", CASES)
def test_error(case: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(path.name for path in folder.iterdir())
    seen = transcribe(words_of(case, folder), capsys, folder)
    assert_golden(GOLDEN / f"{case}.txt", seen)
    assert sorted(path.name for path in folder.iterdir()) == before


@pytest.mark.parametrize("case", CASES)
def test_its_shape(case: str) -> None:
    """Nothing on standard output; a lower-case line with the reason; a hint in sentences; a status of the contract; no password."""
    lines = (GOLDEN / f"{case}.txt").read_text(encoding="utf-8").splitlines()
    assert lines[1] == "[stderr]"
    assert lines[-1] in ("[exit 2]", "[exit 3]", "[exit 4]")
    said = [line for line in lines[2:-1] if line.startswith(("error: ", "hint: "))]
    error, hint = said[-2:]
    assert error.startswith("error: ")
    assert not error.endswith(".")
    message = error.removeprefix("error: ")
    assert message[0].islower() or not message[0].isalpha()
    assert hint.startswith("hint: ")
    assert hint.endswith(".")
    assert hint[6].isupper()
    assert "secret" not in "".join(lines[1:])


def test_no_transcript_is_left_of_a_case_that_went() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(CASES)


def test_our_own_defect_is_owned(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(main, "build_app", fail)
    assert main.run(["io", "sim:"]) == 70
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err.startswith(
        "error: this is a defect of plimsoll itself; please report the text below\nplimsoll "
    )
    assert "ZeroDivisionError: division by zero" in seen.err


def test_ctrl_c_before_anything_began(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "build_app", interrupt)
    assert main.run(["io", "sim:"]) == 130
    assert capsys.readouterr().err == "error: interrupted\n"
