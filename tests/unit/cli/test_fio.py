"""`plimsoll fio` and `plimsoll import` as commands: what goes where, and the exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import document, here
from fio_reports import report

JOBS = "[global]\nfilename=sim\\:law=constant,mean=100us\ndirect=1\nsize=8m\nbs=8k\n[a]\n[b]\nstonewall\nrw=randread\n"


@pytest.fixture
def job_file(tmp_path: Path) -> Path:
    path = tmp_path / "my.fio"
    path.write_text(JOBS, encoding="utf-8")
    return path


def test_one_entry_for_each_job(job_file: Path) -> None:
    done = here("fio", job_file, "--json")
    assert done.returncode == 0, done.stderr
    found = document(done)
    assert found["kind"] == "fio"
    assert [entry["workload"]["name"] for entry in found["data"]] == ["a", "b"]
    assert [entry["ios"] for entry in found["data"]] == [1024, 1024]
    assert len({entry["run"] for entry in found["data"]}) == 1
    assert {"iops", "mb_per_s", "latency_us", "cpu_us_per_io", "engine", "direct"} <= set(found["data"][0])


def test_people_see_a_table_and_see_it_again(job_file: Path) -> None:
    done = here("fio", job_file)
    assert done.returncode == 0, done.stderr
    assert [line.split()[:4] for line in done.stdout.splitlines()[1:3]] == [
        ["a", "read", "1,024", "10,000"],
        ["b", "read", "1,024", "10,000"],
    ]
    again = here("store", "show", "latest")
    assert again.stdout.splitlines()[1:] == done.stdout.splitlines()


def test_checks_of_jobs_at_once_stand_once(tmp_path: Path) -> None:
    path = tmp_path / "two.fio"
    path.write_text(
        "[global]\nfilename=sim\\:law=constant,mean=100us,servers=2\nsize=64m\nratemin=1g\n[a]\n[b]\nio_size=1m\n",
        encoding="utf-8",
    )
    shown = here("fio", path).stdout
    assert shown.count("check failed: rate_min: job a:") == 1
    assert shown.count("check failed: rate_min: job b:") == 1


def test_fios_shape_goes_to_a_file_or_to_standard_output(job_file: Path, tmp_path: Path) -> None:
    done = here("fio", job_file, "--fio-json", tmp_path / "out.json", "--json")
    assert document(done)["kind"] == "fio"
    from_file = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    from_output = json.loads(here("fio", job_file, "--fio-json", "-").stdout)
    for found in (from_file, from_output):
        assert [job["read"]["total_ios"] for job in found["jobs"]] == [1024, 1024]


def test_two_documents_on_standard_output_are_refused(job_file: Path) -> None:
    done = here("fio", job_file, "--fio-json", "-", "--json")
    assert (done.returncode, document(done)["data"]["id"]) == (2, "output-conflict")


def test_an_unknown_key_ends_with_its_place_and_a_guess(tmp_path: Path) -> None:
    path = tmp_path / "bad.fio"
    path.write_text("[j]\niodpeth=8\n", encoding="utf-8")
    done = here("fio", path)
    assert (done.returncode, done.stdout) == (2, "")
    error, hint = done.stderr.splitlines()
    assert error == f"error: {path}, line 2: key 'iodpeth' is not supported"
    assert hint.startswith("hint: Did you mean iodepth? Supported are name, description, rw, ")


def test_a_later_job_that_fails_leaves_the_results_of_the_earlier(tmp_path: Path) -> None:
    path = tmp_path / "my.fio"
    text = f"[global]\ndirectory={tmp_path}\nsize=1m\ndirect=1\n[good]\n[bad]\nstonewall\nbs=700\n"
    path.write_text(text, encoding="utf-8")
    done = here("fio", path, "--json")
    assert done.returncode == 2
    assert "error: " in done.stderr
    found = document(done)
    assert [entry["ios"] for entry in found["data"]] == [256]
    assert "fio-failed" in [warning["code"] for warning in found["warnings"]]


def test_results_of_fio_are_taken_in(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text("fio: a warning\n" + json.dumps(report(), indent=1), encoding="utf-8")
    bad.write_text("{", encoding="utf-8")
    done = here("import", good)
    assert done.returncode == 0, done.stderr
    assert f"{good}: fio-3.33 good.json: a" in done.stdout
    assert "; submission 5.0 µs on average" in done.stdout
    assert f"imported from {good}, written by fio-3.33" in done.stderr
    assert "import" in here("store", "list").stdout
    done = here("import", bad, good, "--json")
    assert done.returncode == 5
    assert f"error: {bad} is in no format that can be imported" in done.stderr
    found = document(done)
    assert [entry["iops"] for entry in found["data"]] == [2000]
    assert "import-failed" in [warning["code"] for warning in found["warnings"]]
    assert here("import", bad).returncode == 5


def test_what_orion_wrote_of_latencies_is_shown(tmp_path: Path) -> None:
    files = Path(__file__).parents[1] / "dialects" / "orion" / "fixtures" / "12.1"
    summary = tmp_path / "test1_20130722_0953_summary.txt"
    whole = (files / summary.name).read_text(encoding="utf-8") + (files / "histogram.txt").read_text(
        encoding="utf-8"
    )
    summary.write_text(whole, encoding="utf-8")
    done = here("import", summary)
    assert "small reads there: mean 124 µs, 41 µs to 4.5 ms, deviation 76 µs" in done.stdout
    assert "half of 461,911 below 128 µs, 99 % below 512 µs" in done.stdout
