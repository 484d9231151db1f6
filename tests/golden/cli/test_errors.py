"""Every refusal that can be had without a special machine, word for word: one line, then what to do, then the exit status."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from demand_snapshots import database
from judged_demands import second, whole
from plimsoll.cli import main, output, parser
from plimsoll.facts import Note
from plimsoll.facts.demand import LOCAL_TIMES
from plimsoll.flows.demand import write_demand
from transcript import assert_golden, transcribe

GOLDEN = Path(__file__).parent / "errors"
MIB = 1 << 20

# Each with the id of its error. {F} is a folder of the test's own, filled by `folder` below.
CASES: dict[str, tuple[str, str]] = {
    "no-such-verb": ("usage", "frobnicate"),
    "no-such-option": ("usage", "io sim: --frob"),
    "no-target": ("usage", "io"),
    "value-out-of-range": ("usage", "io sim: --depth 0"),
    "choice-unknown": ("usage", "io sim: --rate 100 --arrivals weekly"),
    "not-above-zero": ("not-above-zero", "io sim: --rate 0"),
    "size-unreadable": ("size-unreadable", "io sim: --block 8x"),
    "size-of-part-of-a-byte": ("size-unreadable", "io sim: --block 0.3"),
    "duration-unreadable": ("duration-unreadable", "io sim: --runtime soon"),
    "rate-unreadable": ("rate-unreadable", "io sim: --rate fast"),
    "rw-unknown": ("rw-unknown", "io sim: --rw randomread"),
    "read-share-conflict": ("read-share-conflict", "io sim: --rw randread --read-share 0.5"),
    "read-share-beyond": ("read-share-conflict", "io sim: --rw randrw --read-share 1.5"),
    "simulation-unreadable": ("simulation-unreadable", "io sim:law=uniform"),
    "simulation-out-of-range": ("spec-invalid", "io sim:mean=0us"),
    "spec-invalid": ("spec-invalid", "io sim: --runtime 1000d"),
    "engine-unknown": ("engine-unknown", "io {F} --engine mmap"),
    "engine-needs-device": ("engine-needs-device", "io sim: --engine psync"),
    "engine-needs-server": ("engine-needs-server", "io {F}/full --engine nfs"),
    "nfs-url": ("nfs-url", "io nfs://filer/vol/data?paths=10.0.0.1,,10.0.1.1"),
    "nfs-url-without-export": ("nfs-url", "line nfs://filer"),
    "nfs-stable-idle": ("option-idle", "io {F}/full --stable none"),
    "nfs-unfit": ("nfs-unfit", "demo --folder nfs://filer/vol"),
    "nfs-unfit-volume": ("nfs-unfit", "calibrate nfs://filer/vol/data {F}"),
    "nfs-prefill-idle": ("option-idle", "io nfs://filer/vol/data --prefill"),
    "engine-needs-simulation": ("engine-needs-simulation", "io {F}/full --engine sim"),
    "fill-unreadable": ("fill-unreadable", "io sim: --rw randwrite --check steady --fill 80,50"),
    "fill-unfit": ("fill-unfit", "io {F} --rw randwrite --check steady --fill 50,80"),
    "links-unreadable": ("links-unreadable", "calibrate sim: --links 2x9gfc"),
    "slo-unreadable": ("slo-unreadable", "line sim: --slo fast"),
    "slo-quantile-odd": ("slo-unreadable", "line sim: --slo p100=1ms"),
    "slo-limit-odd": ("slo-unreadable", "line sim: --slo p99=0ms"),
    "slo-class-unknown": ("slo-class-unknown", "line sim: --slo redo.p99=2ms"),
    "target-missing": ("target-missing", "io {F}/none"),
    "target-missing-folder": ("target-missing", "io {F}/no/none --prefill"),
    "target-too-small": ("target-too-small", "io {F}/small"),
    "target-smaller-than-asked": ("target-too-small", "io {F}/full --size 1g"),
    "target-odd": ("target-odd", "io {F}/pipe"),
    "target-sparse": ("target-unwritten", "io {F}/sparse"),
    "target-zeros": ("target-unwritten", "io {F}/zeros"),
    "block-misaligned": ("block-misaligned", "io {F}/full --block 1000"),
    "disk-full": ("disk-full", "io {F} --size 100000t"),
    "file-exists": ("file-exists", "io {F}/full --prefill"),
    "foreign-file-refused": ("foreign-file-refused", "io {F}/full --rw randwrite"),
    "destroy-unreadable": ("destroy-unreadable", "io {F}/full --rw randwrite --destroy {F}/full"),
    "destroy-a-file": ("destroy-not-a-device", "io {F}/full --rw randwrite --destroy {F}/full=full"),
    "destroy-another": ("foreign-file-refused", "io {F}/full --rw randwrite --destroy /dev/none=0815"),
    "man-refused": ("man-refused", "help --man {F}/full/man1"),
    "dash-no-file": ("dash-no-file", "report latest --out -"),
    "kind-unknown": ("kind-unknown", "store list --kind asess"),
    "format-no-table": ("format-no-table", "report latest --format csv"),
    "table-unknown": ("table-unknown", "io sim: --format csv --table trails"),
    "table-unknown-of-few": ("table-unknown", "store list --format ndjson --table trials"),
    "table-idle": ("option-idle", "io sim: --table trials"),
    "events-refused": ("events-refused", "io sim: --events {F}/no/events"),
    "run-unknown": ("run-unknown", "store show latest"),
    "report-without-run": ("run-unknown", "report latest"),
    "store-is-a-folder": ("store-unopenable", "store list --store {F}"),
    "store-is-something-else": ("store-foreign", "store list --store {F}/small"),
    "store-location-unknown": ("store-location", "store list --store mysql://me:secret@db/runs"),
    "store-unreachable": (
        "database-unreachable",
        "store list --store postgresql://me:secret@127.0.0.1:1/runs",
    ),
    "database-missing": ("database-missing", "demand --seconds 1"),
    "database-per-host": (
        "database-per-host",
        "prove slob --database postgresql://me:secret@pool-{host}/shop",
    ),
    "database-unknown": ("database-unknown", "demand --database orakel://me:secret@db/shop --seconds 1"),
    "database-unreachable": (
        "database-unreachable",
        "demand --database postgresql://me:secret@127.0.0.1:1/shop --seconds 1",
    ),
    "demand-source": ("demand-source", "assess --target sim:"),
    "demand-source-twice": ("demand-source", "assess --target sim: --demand latest --database embedded"),
    "demand-missing": ("demand-missing", "assess --target sim: --demand {F}/none.json"),
    "demand-no-json": ("demand-unreadable", "assess --target sim: --demand {F}/small"),
    "demand-something-else": ("demand-unreadable", "assess --target sim: --demand {F}/other.json"),
    "demands-apart": ("demands-apart", "assess --target sim: --demand {F}/shop.json --demand {F}/later.json"),
    "demands-twice": ("demands-twice", "assess --target sim: --demand {F}/shop.json --demand {F}/shop.json"),
    "demands-clocks": (
        "demands-clocks",
        "assess --target sim: --demand {F}/shop.json --demand {F}/local.json",
    ),
    "demands-bursts": (
        "demands-bursts",
        "assess --target sim: --demand {F}/shop.json --demand {F}/bursts.json",
    ),
    "weight-unreadable": (
        "weight-unreadable",
        "assess --target sim: --demand {F}/shop.json --demand {F}/crm.json --weight shop=much",
    ),
    "weight-of-none": (
        "weight-unreadable",
        "assess --target sim: --demand {F}/shop.json --demand {F}/crm.json --weight shpo=2",
    ),
    "node-unreadable": (
        "node-unreadable",
        "assess --target sim: --demand {F}/shop.json --demand {F}/crm.json --node n1 --node n2=crm",
    ),
    "node-alone": (
        "node-unreadable",
        "assess --target sim: --demand {F}/shop.json --demand {F}/crm.json --node n1=shop,crm",
    ),
    "node-database-missing": (
        "node-databases",
        "assess --target sim: --demand {F}/shop.json --demand {F}/crm.json --node n1=shpo --node n2=crm",
    ),
    "node-database-left": (
        "node-databases",
        "assess --target sim: --demand {F}/shop.json --demand {F}/crm.json --node n1=shop --node n2=",
    ),
    "node-idle": ("option-idle", "assess --target sim: --demand {F}/shop.json --node n1=shop --node n2="),
    "weight-idle": ("option-idle", "assess --target sim: --demand {F}/shop.json --weight shop=2"),
    "burst-factor-below-one": ("usage", "assess --target sim: --demand latest --burst-factor 0.5"),
    "disk-folder-missing": ("disk-folder", "lab disk {F}/none"),
    "disk-folder-in-use": ("disk-folder", "lab disk {F}"),
    "disk-law-unreadable": ("disk-law-unreadable", "lab disk {F}/none --law law=uniform"),
    "tiers-folder-in-use": ("disk-folder", "lab tiers {F}"),
    "tiers-cap-idle": ("option-idle", "lab tiers {F} --slow-iops 100 --slow-mb-per-s 20"),
    "tiers-law-idle": ("option-idle", "lab tiers {F} --by throttle --slow-law law=seek"),
    "tiers-bound-taken": ("tiers-bound", "lab tiers {F} --cache 64m --buffered 64m"),
    "tiers-bound-small": ("usage", "lab tiers {F} --buffered 1m"),
    "disk-law-idle": ("disk-law-unreadable", "lab disk {F}/none --law law=seek,mean=1ms"),
    "demo-folder-missing": ("target-missing", "demo --folder {F}/none"),
    "job-key-unknown": ("job-key-unknown", "fio {F}/key.fio"),
    "job-elsewhere": ("job-elsewhere", "fio {F}/elsewhere.fio"),
    "job-value-unreadable": ("job-value-unreadable", "fio {F}/value.fio"),
    "jobs-at-once": ("job-unsupported", "fio {F}/together.fio"),
    "job-folder-missing": ("target-missing", "fio {F}/lone.fio --folder {F}/none"),
    "import-unknown": ("import-unknown", "import {F}/other.json"),
    "import-broken": ("import-broken", "import {F}/torn.json"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of each thing that is refused."""
    made = tmp_path_factory.mktemp("bad-input")
    (made / "full").write_bytes(os.urandom(64 * MIB))
    (made / "small").write_bytes(b"not much\n" * 1000)
    (made / "zeros").write_bytes(bytes(64 * MIB))
    (made / "other.json").write_text('{"kind": "line", "data": {"line_iops": 1}}')
    (made / "key.fio").write_text("[global]\ndirect=1\n[reads]\niodpeth=8\n")
    (made / "value.fio").write_text("; a remark\n[reads]\nrwmixread=170\n")
    (made / "together.fio").write_text("[reads]\nsize=1g\n[writes]\nrw=write\nsize=1g\ndirect=1\n")
    (made / "elsewhere.fio").write_text("[send]\nioengine=net\nhostname=db2\nsize=1g\n")
    (made / "lone.fio").write_text("[reads]\nsize=1g\ndirectory=/u01\n")
    (made / "torn.json").write_text('fio: a warning\n{\n "fio version" : "fio-3.33",\n "jobs" : [\n')
    _write_demands(made)
    with open(made / "sparse", "wb") as file:
        file.truncate(64 * MIB)
    os.mkfifo(made / "pipe")
    for name in ("full", "zeros"):
        with open(made / name, "rb") as file:
            os.fsync(file.fileno())
    return made


def _write_demands(folder: Path) -> None:
    """Ten seconds of the databases shop and crm, and of crm an hour later, by a clock without a zone, and with a burst factor."""
    now, later = ([second(n, 100.0) for n in range(begin, begin + 10)] for begin in (0, 3600))
    local = Note(code=LOCAL_TIMES, message="the zone of the clock is not known")
    crm = {"database": database(name="crm", system_identifier="43")}
    found = {
        "shop": whole(now),
        "crm": whole(now).model_copy(update=crm),
        "later": whole(later).model_copy(update=crm),
        "local": whole(now).model_copy(update={**crm, "notes": (local,)}),
        "bursts": whole(now, burst_factor=3.0).model_copy(update=crm),
    }
    for name, demand in found.items():
        write_demand(demand, folder / f"{name}.json")


def words_of(case: str, folder: Path) -> Sequence[str]:
    return CASES[case][1].replace("{F}", str(folder)).split()


@pytest.mark.parametrize("case", CASES)
def test_error(case: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(path.name for path in folder.iterdir())
    seen = transcribe(words_of(case, folder), capsys, folder)
    assert_golden(GOLDEN / f"{case}.txt", seen)
    assert sorted(path.name for path in folder.iterdir()) == before


FORMATS = [case for case in CASES if "--format csv" in CASES[case][1] or "--format ndjson" in CASES[case][1]]
"""Those that ask for another form than a JSON document."""


@pytest.mark.parametrize("case", FORMATS)
def test_its_id_in_other_forms(case: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(output, "fail", lambda error, words: told.append(error.id))
    main.run(list(words_of(case, folder)))
    assert told == [CASES[case][0]]


@pytest.mark.parametrize("case", [case for case in CASES if case not in FORMATS])
def test_its_id(case: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    main.run([*words_of(case, folder), "--json"])
    assert json.loads(capsys.readouterr().out)["data"]["id"] == CASES[case][0]


@pytest.mark.parametrize("case", CASES)
def test_its_shape(case: str) -> None:
    """Nothing on standard output; a lower-case line with the reason; a hint in sentences; a status of the contract; no password."""
    lines = (GOLDEN / f"{case}.txt").read_text(encoding="utf-8").splitlines()
    assert lines[1] == "[stderr]"
    unreadable = ["[exit 5]"] if case.startswith("import-") else []
    assert lines[-1] in ("[exit 2]", "[exit 3]", "[exit 4]", *unreadable)
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
    def fail(asked: str) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(parser, "build_app", fail)
    assert main.run(["io", "sim:"]) == 70
    seen = capsys.readouterr()
    assert seen.out == ""
    assert seen.err.startswith(
        "error: this is a defect of plimsoll itself; please report the text below\nplimsoll "
    )
    assert "ZeroDivisionError: division by zero" in seen.err


def test_short_memory_is_no_defect(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(asked: str) -> None:
        raise MemoryError

    monkeypatch.setattr(parser, "build_app", fail)
    assert main.run(["read", "reports", "--json"]) == 4
    seen = capsys.readouterr()
    assert json.loads(seen.out)["data"]["id"] == "memory-short"
    assert seen.err.startswith("error: memory does not suffice\nhint: Give it more")


def test_ctrl_c_before_anything_began(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(asked: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(parser, "build_app", interrupt)
    assert main.run(["io", "sim:"]) == 130
    assert capsys.readouterr().err == "error: interrupted\n"
