"""The verb `calibrate`: its document, its sentences and tables, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plimsoll.cli.main import run

CONTRACT = {
    "small_depth",
    "large_depth",
    "small_iops",
    "large_mb_per_s",
    "small_latency_us",
    "large_latency_us",
    "cpu_us_per_io",
    "checks",
}


@pytest.fixture
def ended(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    """Runs the verb; gives exit status, standard output and standard error."""

    def run_it(*words: str) -> tuple[int, str, str]:
        status = run(["calibrate", *words, "--store", str(tmp_path / "store")])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run_it


def document(out: str) -> dict[str, Any]:
    """The data of the one document on standard output."""
    made = json.loads(out)
    assert made["kind"] == "calibrate"
    return made["data"]


def test_the_document_keeps_the_contract(ended: Any) -> None:
    status, out, _ = ended("sim:mean=1ms,servers=3", "--shape", "normal", "--runtime", "500ms", "--json")
    data = document(out)
    assert status == 0
    assert len(data["cells"]) == 17
    assert all(set(cell) >= CONTRACT for cell in data["cells"])
    both = next(cell for cell in data["cells"] if (cell["small_depth"], cell["large_depth"]) == (2, 1))
    assert both["small_latency_us"]["p50"] > 0
    assert both["large_latency_us"]["mean"] > 0
    assert data["max_small_iops"] == max(cell["small_iops"] for cell in data["cells"] if cell["small_iops"])
    assert data["max_large_mb_per_s"] == max(cell["large_mb_per_s"] or 0 for cell in data["cells"])
    at = data["max_small_iops_at"]
    assert {"small_iops": data["max_small_iops"], **at}.items() <= next(
        cell for cell in data["cells"] if at.items() <= cell.items()
    ).items()
    assert data["knee"]["small_depth"] == 3
    assert data["small_depths"] == [0, 1, 2, 3, 4, 5]
    assert data["large_depths"] == [0, 1, 2]


def test_what_was_not_measured_is_null(ended: Any) -> None:
    _, out, _ = ended("sim:", "--shape", "dss", "--runtime", "100ms", "--json")
    data = document(out)
    assert data["max_small_iops"] is None
    assert data["max_small_iops_at"] is None
    assert data["min_small_latency_us"] is None
    assert data["knee"] is None
    assert {cell["small_iops"] for cell in data["cells"]} == {None}
    assert {cell["small_latency_us"] for cell in data["cells"]} == {None}


def test_adaptive_is_the_default_and_a_shape_brings_its_own_grid(ended: Any) -> None:
    _, out, _ = ended("sim:mean=1ms", "--runtime", "200ms", "--json")
    assert document(out)["matrix"] == "adaptive"
    _, out, _ = ended("sim:mean=1ms", "--shape", "oltp", "--runtime", "200ms", "--json")
    assert document(out)["matrix"] == "row"
    _, out, _ = ended(
        "sim:mean=1ms", "--shape", "oltp", "--matrix", "adaptive", "--runtime", "200ms", "--json"
    )
    assert document(out)["matrix"] == "adaptive"
    assert document(out)["large_depths"] == [0]


def test_people_read_the_extremes_the_knee_and_the_loads(ended: Any) -> None:
    words = ("--spindles", "24", "--disk-type", "sas", "--raid", "raid10")
    status, out, _ = ended("sim:law=constant,mean=1ms,servers=4", "--runtime", "1s", *words)
    lines = out.splitlines()
    assert status == 0
    assert lines[0] == "At most 4,000 small I/Os per second, with 4 small and 0 large outstanding."
    assert lines[1] == "At most 4,194.3 MB/s of large I/Os, with 0 small and 4 large outstanding."
    assert lines[2].startswith("Lowest mean latency of small I/Os 1 ms, with 1 small")
    assert lines[3].startswith("The knee is at 4 small I/Os outstanding: 4,000 I/Os per second at 1 ms;")
    assert lines[4].startswith(
        "What you paid for: 4,800 I/Os per second (24 sas disks × 200 I/Os per second)"
    )
    assert lines[4].endswith("measured 0.83 times that.")
    assert "small I/Os of 8 KiB" in lines
    assert "large I/Os of 1 MiB, random" in lines
    assert "points of the adaptive matrix" in lines[-1]


def test_more_than_the_disks_can_do_is_a_cache(ended: Any) -> None:
    _, out, _ = ended("sim:servers=8", "--runtime", "100ms", "--spindles", "2", "--disk-type", "sata")
    assert "more than the disks can do, so a cache answered in their place" in out
    _, out, _ = ended("sim:servers=8", "--runtime", "100ms", "--spindles", "2", "--disk-type", "nvme")
    assert "What you paid for is unknown: no rule of thumb" in out


def test_loads_beside_each_other_are_a_matrix(ended: Any) -> None:
    _, out, _ = ended("sim:law=constant,mean=1ms,servers=4", "--shape", "normal", "--runtime", "1s")
    lines = out.splitlines()
    start = lines.index("small I/Os per second, by small load (rows) and large load (columns)")
    assert lines[start + 1].split() == ["small", "\\", "large", "0", "1", "2"]
    assert lines[start + 2].split() == ["1", "1,000", "1,000", "1,000"]
    assert "MB/s of large I/Os" in lines


def test_like_calibrate_io_answers_with_the_spread(ended: Any) -> None:
    words = (
        "sim:law=constant,mean=1ms,servers=4",
        "--like",
        "calibrate-io",
        "--runtime",
        "500ms",
        "--repeats",
        "2",
    )
    status, out, _ = ended(*words)
    lines = out.splitlines()
    assert status == 0
    assert (
        lines[0]
        == "At most 4,000 I/Os per second with a mean latency of at most 20 ms: 1 ms there. Median of 2 runs."
    )
    rows = {line.split()[0]: line for line in lines[1:6]}
    assert rows["max_iops"].split()[1:] == ["4,000", "4,000", "4,000", "0.0", "%"]
    assert set(rows) >= {"max_mbps", "max_pmbps,", "actual_latency"}
    _, out, _ = ended(*words, "--json")
    assert document(out)["io_calibration"]["max_iops"]["median"] == pytest.approx(4000)


def test_a_bound_that_nothing_keeps_is_a_no(ended: Any) -> None:
    status, out, _ = ended(
        "sim:law=constant,mean=5ms",
        "--like",
        "calibrate-io",
        "--max-latency",
        "4ms",
        "--runtime",
        "100ms",
        "--repeats",
        "1",
    )
    assert status == 1
    assert out.startswith("Not even one I/O at a time keeps a mean latency of at most 4 ms.")


def test_failed_ios_are_a_failure_of_the_world_and_results_are_kept(ended: Any) -> None:
    status, out, _ = ended(
        "sim:mean=1ms,servers=2,error=0.001", "--shape", "simple", "--runtime", "2s", "--json"
    )
    assert status == 4
    assert len(document(out)["cells"]) == 7
    assert [warning["code"] for warning in json.loads(out)["warnings"]].count("point-failed") == 1


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--max-latency", "5ms"), "--max-latency would have no effect without --like"),
        (
            ("--repeats", "3", "--max-latency", "5ms"),
            "--max-latency would have no effect without --like",
        ),
        (("--like", "calibrate-io", "--shape", "oltp"), "--shape would have no effect with --like"),
        (("--matrix", "col"), "matrix col needs the number of small I/Os outstanding"),
        (
            ("--like", "calibrate-io", "--write-share", "0.5"),
            "a calibration like calibrate-io reads at random",
        ),
        (("--spindles", "4"), "the arithmetic of spindles needs both"),
        (("--large-block", "0"), "'0' is not above zero"),
        (("--runtime", "0s"), "'0s' is not above zero"),
    ],
)
def test_words_without_effect_or_sense_are_refused(ended: Any, words: tuple[str, ...], reason: str) -> None:
    status, out, err = ended("sim:", *words)
    assert status == 2
    assert out == ""
    assert reason in err
    assert "hint: " in err
