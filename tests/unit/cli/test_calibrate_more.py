"""`calibrate` with working sets, with a ladder and with links: documents, sentences, tables, and how they end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plimsoll.cli.main import run

pytestmark = pytest.mark.slow

CACHED = "sim:law=constant,mean=1ms,servers=4,cache=100m,cache_us=20us"
EIGHT = "sim:law=constant,mean=1ms,servers=8"


@pytest.fixture
def ended(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Runs a verb; gives exit status, standard output and standard error."""

    def run_it(*words: str) -> tuple[int, str, str]:
        status = run([*words, "--store", str(tmp_path / "store")])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run_it


def test_people_read_where_the_cache_ends_and_a_bar_for_each_size(ended: Any) -> None:
    status, out, err = ended("calibrate", CACHED, "--working-sets", "256m,16m,64m,1g", "--runtime", "500ms")
    lines = out.splitlines()
    assert status == 0
    assert lines[0].startswith(
        "A cache ends between 64 MiB and 256 MiB: within 64 MiB there were 400,000 I/Os per second"
    )
    assert [line.split("iB")[0].split() for line in lines[3:7]] == [
        ["16", "M"],
        ["64", "M"],
        ["256", "M"],
        ["1", "G"],
    ]
    bars = [line.count("█") for line in lines[3:7]]
    assert bars[0] == bars[1] == 30
    assert bars[2] == bars[3] == 1
    assert lines[7].startswith("8 KiB reads, 8 outstanding; 3 repeats of 0.5 s each, 6 s measured and")
    assert "4 sizes × 3 repeats × 0.5 s: 6 s measured; before it 4 GiB are read in all" in err


def test_the_document_of_working_sets(ended: Any) -> None:
    status, out, _ = ended(
        "calibrate", CACHED, "--working-sets", "64m,256m", "--runtime", "200ms", "--repeats", "2", "--json"
    )
    made = json.loads(out)
    data = made["data"]
    assert status == 0
    assert made["kind"] == "calibrate-working-sets"
    assert [one["set_bytes"] >> 20 for one in data["sets"]] == [64, 256]
    assert data["repeats"] == 2
    assert data["caches"][0]["low_bytes"] == 64 << 20
    assert data["caches"][0]["high_bytes"] == 256 << 20
    assert data["sets"][0]["latency_us_p50"] == pytest.approx(20, rel=0.01)


def test_auto_goes_up_to_the_whole_target(ended: Any) -> None:
    _, out, _ = ended("calibrate", "sim:size=256m", "--working-sets", "auto", "--runtime", "100ms", "--json")
    assert [one["set_bytes"] >> 20 for one in json.loads(out)["data"]["sets"]] == [16, 64, 256]


def test_stored_runs_are_shown_again_and_listed(ended: Any) -> None:
    ended("calibrate", CACHED, "--working-sets", "16m,64m,256m", "--runtime", "200ms")
    ended("calibrate", EIGHT, EIGHT, "--ladder", "--runtime", "200ms", "--large-depth", "0")
    _, out, _ = ended("store", "list")
    assert "a cache ends between 64 MiB and 256 MiB" in out
    assert "of the sum of 2" in out
    _, out, _ = ended("store", "show", "latest")
    assert "2 targets together give" in out


def test_people_read_how_far_from_the_sum_a_ladder_ends(ended: Any) -> None:
    words = ("--ladder", "--runtime", "500ms", "--small-depth", "8", "--large-depth", "0")
    status, out, _ = ended("calibrate", EIGHT, EIGHT, EIGHT, *words)
    lines = out.splitlines()
    assert status == 0
    assert lines[0].startswith(
        "Small I/Os: 3 targets together give 8,000 I/Os per second, 33 % (95 % interval 33 % to 33 %)"
    )
    assert "from target 2 on, more bring next to nothing: 1 gave 8,000" in lines[0]
    rows = [line.split() for line in lines[3:6]]
    assert [(row[0], row[2], row[3]) for row in rows] == [(str(at), "8,000", "8,000") for at in (1, 2, 3)]


def test_the_document_of_a_ladder(ended: Any) -> None:
    status, out, _ = ended(
        "calibrate", EIGHT, EIGHT, "--ladder", "--runtime", "200ms", "--links", "2x16gfc", "--json"
    )
    made = json.loads(out)
    data = made["data"]
    assert made["kind"] == "calibrate-ladder"
    assert status == 0
    assert [curve["size"] for curve in data["curves"]] == ["small", "large"]
    assert [len(curve["steps"]) for curve in data["curves"]] == [2, 2]
    assert data["links"]["words"] == "2 × 16GFC"
    assert [warning["code"] for warning in made["warnings"]] == ["links-exceeded"]


def test_links_stand_beside_what_was_measured(ended: Any) -> None:
    words = ("--shape", "simple", "--runtime", "200ms", "--links", "2x16gfc")
    status, out, _ = ended("calibrate", "sim:law=constant,mean=1ms", *words)
    assert status == 0
    assert (
        "Links, as stated: 2 × 16GFC, at most 3,306 MB/s in each direction. Measured at most 1,049 MB/s, 32 % of that."
        in out
    )
    _, out, _ = ended("calibrate", "sim:law=constant,mean=1ms", *words, "--json")
    links = json.loads(out)["data"]["links"]
    assert links["mb_per_s"] == pytest.approx(3306, rel=0.001)
    assert links["used_share"] == pytest.approx(1048.6 / 3306, rel=0.001)
    _, out, _ = ended("calibrate", "sim:", "--shape", "simple", "--runtime", "100ms", "--json")
    assert json.loads(out)["data"]["links"] is None


def test_a_host_that_mirrors_fills_its_links_twice_as_soon(ended: Any) -> None:
    words = ("--shape", "dss", "--runtime", "200ms", "--links", "2x16gfc", "--write-share", "1", "--json")
    _, out, _ = ended("calibrate", "sim:law=constant,mean=1ms", *words)
    once = json.loads(out)["data"]["links"]
    _, out, _ = ended("calibrate", "sim:law=constant,mean=1ms", *words, "--copies", "2")
    twice = json.loads(out)["data"]["links"]
    assert twice["used_share"] == pytest.approx(2 * once["used_share"], rel=0.01)
    assert twice["write_mb_per_s"] == pytest.approx(once["write_mb_per_s"] / 2)


def test_a_file_of_a_virtual_machine_or_a_disk_says_where_its_links_are_from(
    ended: Any, tmp_path: Path
) -> None:
    """Known or not, there is a reason; on a virtual machine there is no figure."""
    words = [
        "--size",
        "16m",
        "--shape",
        "dss",
        "--disks",
        "1",
        "--runtime",
        "20ms",
        "--engine",
        "psync",
        "--json",
    ]
    _, out, _ = ended("calibrate", str(tmp_path), *words)
    links = json.loads(out)["data"]["links"]
    assert links["reason"]
    assert (links["mb_per_s"] is None) == (links["words"] is None)


@pytest.mark.parametrize(
    ("words", "id"),
    [
        (("sim:", "--ladder"), "calibrate-unfit"),
        (("sim:", "--working-sets", "64m"), "calibrate-unfit"),
        (("sim:", "sim:", "--ladder", "--working-sets", "auto"), "calibrate-unfit"),
        (("sim:", "--like", "calibrate-io", "--working-sets", "auto"), "calibrate-unfit"),
        (("sim:", "--working-sets", "64m,lots"), "size-unreadable"),
        (("sim:", "--links", "2x8gbc"), "links-unreadable"),
        (("sim:", "--copies", "2"), "option-idle"),
    ],
)
def test_words_that_do_not_fit_are_refused(ended: Any, words: tuple[str, ...], id: str) -> None:
    status, out, _ = ended("calibrate", *words, "--json")
    assert status == 2
    assert json.loads(out)["data"]["id"] == id
