"""`plimsoll host bench cpu` with hpcc itself, which BLAS it takes, and what it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import command
from plimsoll.base.errors import WorldError
from plimsoll.host import hpl

OPENBLAS = ("libblas.so.3", "/usr/lib/x86_64-linux-gnu/openblas-pthread/libblas.so.3")
REFERENCE = ("libblas.so.3", "/usr/lib/x86_64-linux-gnu/blas/libblas.so.3.11.0")
C = ("libc.so.6", "/usr/lib/x86_64-linux-gnu/libc.so.6")


def test_hpcc_computes_and_leaves_nothing(tmp_path: Path) -> None:
    if shutil.which("hpcc") is None:
        pytest.skip("hpcc not found: it takes Debian's packages hpcc and libopenblas0-pthread")
    words = ("--order", "300", "--runtime", "10ms", "--out", tmp_path / "cpu.html", "--json")
    done = command.here("host", "bench", "cpu", *words, PLIMSOLL_SCRATCH=str(tmp_path))
    found = json.loads(done.stdout)["data"]
    if found.get("id") == "blas-reference":
        pytest.skip(found["message"])
    assert done.returncode in (0, 1, 5), done.stderr
    assert found["tool"].startswith("hpcc 1.")
    assert (found["matrix_rows"], len(found["rounds"])) == (300, 1)
    assert found["rounds"][0]["hpl_gflops"] > 0
    assert "reference" not in found["blas"]
    assert "not stored" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["cpu.html"]


def test_without_the_program_it_says_how_to_install_it(tmp_path: Path) -> None:
    (tmp_path / "ldd").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "ldd").chmod(0o755)
    done = command.here("host", "bench", "cpu", "--json", PATH=str(tmp_path))
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (4, "hpcc-missing")
    assert "apt install hpcc libopenblas0-pthread" in done.stderr


def test_the_blas_is_named_by_its_file() -> None:
    assert hpl.blas_of([C, OPENBLAS]) == f"OpenBLAS ({OPENBLAS[1]})"
    assert hpl.blas_of([("libmkl_rt.so.2", "/opt/intel/libmkl_rt.so.2")]).startswith("Intel MKL")


@pytest.mark.parametrize(
    ("libraries", "id"), [([C, REFERENCE], "blas-reference"), ([C], "blas-unknown"), ([], "blas-unknown")]
)
def test_the_reference_blas_and_one_that_is_not_told_are_refused(
    libraries: list[tuple[str, str]], id: str
) -> None:
    with pytest.raises(WorldError) as caught:
        hpl.blas_of(libraries)
    assert caught.value.id == id
    assert "libopenblas0-pthread" in (caught.value.hint or "")


def test_a_matrix_is_bounded_by_time_and_by_memory() -> None:
    assert hpl.order_of(1 << 40, 2) == 8_256
    assert hpl.order_of(1 << 40, 2_000) == 39_936
    assert hpl.order_of(1 << 30, 64) == 4_032, "the root of an eighth of a GiB in numbers of 8 bytes is 4,096"
    assert hpl.order_of(None, 2) == 1_000


def test_a_program_that_fails_is_said(tmp_path: Path) -> None:
    text = "#!/bin/sh\nexit 3\n"
    (tmp_path / "hpcc").write_text(text)
    (tmp_path / "hpcc").chmod(0o755)
    (tmp_path / "ldd").write_text(f"#!/bin/sh\necho ' {OPENBLAS[0]} => {OPENBLAS[1]} (0x00)'\n")
    (tmp_path / "ldd").chmod(0o755)
    done = command.here(
        "host", "bench", "cpu", "--json", PATH=f"{tmp_path}:/usr/bin:/bin", PLIMSOLL_SCRATCH=str(tmp_path)
    )
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (4, "hpcc-failed")
    assert "status 3" in done.stderr
