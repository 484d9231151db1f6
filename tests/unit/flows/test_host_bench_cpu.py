"""`plimsoll host bench cpu` with hpcc itself, which BLAS it takes, and what it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import command
from plimsoll.base.errors import UsageError, WorldError
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


def test_of_several_libraries_the_one_that_is_called_is_named() -> None:
    debian = [OPENBLAS, C, ("libopenblas.so.0", "/usr/lib/libopenblasp-r0.3.21.so")]
    assert hpl.blas_of(debian) == f"OpenBLAS ({OPENBLAS[1]})"
    assert hpl.blas_of([("libblas.so.3", "/opt/intel/libmkl_rt.so.2")]).startswith("Intel MKL")
    assert hpl.blas_of([("libcblas.so.3", "/usr/lib/atlas/libcblas.so.3.10.3")]).startswith("ATLAS")
    assert hpl.blas_of([C, debian[2]]).startswith("OpenBLAS (/usr/lib/libopenblasp")


@pytest.mark.parametrize(
    ("libraries", "id"),
    [
        ([C, REFERENCE], "blas-reference"),
        ([("libmpi.so.40", "/srv/mklein/openmpi/libmpi.so.40"), REFERENCE], "blas-reference"),
        ([("libblas.so.3", "/srv/mklein/openblas-old/blas/libblas.so.3")], "blas-reference"),
        ([("libopenblas.so.0", "/usr/lib/libopenblas.so.0"), REFERENCE], "blas-reference"),
        ([("libmpi.so.40", "/srv/mklein/openmpi/libmpi.so.40")], "blas-unknown"),
        ([("libmpi.so.40", "/opt/openblas/libmpi.so.40")], "blas-unknown"),
        ([C], "blas-unknown"),
        ([], "blas-unknown"),
    ],
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


def _bench(folder: Path, hpcc: str, *words: str) -> CompletedProcess[str]:
    """With programs of ours in place of hpcc and ldd."""
    texts = {"hpcc": hpcc, "ldd": f"echo ' {OPENBLAS[0]} => {OPENBLAS[1]} (0x00)'\n"}
    for name, text in texts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}")
        (folder / name).chmod(0o755)
    path = {"PATH": f"{folder}:/usr/bin:/bin", "PLIMSOLL_SCRATCH": str(folder)}
    return command.here("host", "bench", "cpu", "--json", *words, **path)


def test_a_program_that_fails_is_said(tmp_path: Path) -> None:
    done = _bench(tmp_path, "exit 3\n")
    assert (done.returncode, json.loads(done.stdout)["data"]["id"]) == (4, "hpcc-failed")
    assert "status 3" in done.stderr


_TWICE = """[ -e {folder}/ran ] && exit 3
touch {folder}/ran
for i in 1 2 3 4 5 6 7 8 9 10; do
    [ $(cat /proc/$$/oom_score_adj) = 1000 ] && break
    sleep 0.5
done
[ $(cat /proc/$$/oom_score_adj) = 1000 ] || exit 9
sleep 2.2
cat > hpccoutf.txt <<END
Begin of Summary section.
VersionMajor=1
VersionMinor=5
VersionMicro=0
Success=1
HPL_Tflops=0.02
HPL_time=2.5
SingleDGEMM_Gflops=21
End of Summary section.
END
"""


def test_a_later_failure_keeps_what_was_measured_before_it(tmp_path: Path) -> None:
    done = _bench(tmp_path, _TWICE.format(folder=tmp_path), "--order", "300", "--runtime", "1h")
    found = json.loads(done.stdout)["data"]
    assert done.returncode == 5, done.stderr
    assert [one["hpl_gflops"] for one in found["rounds"]] == [20.0]
    assert "status 3" in found["failed"]
    assert (found["answer"], len(found["seconds"]) > 0) == ("cannot tell", True)
    assert all(one["busy_cpus"] < 0.5 for one in found["seconds"]), "it slept"


def test_a_matrix_that_memory_does_not_hold_is_refused(tmp_path: Path) -> None:
    done = _bench(tmp_path, "exit 3\n", "--order", "200000")
    data = json.loads(done.stdout)["data"]
    if data["id"] == "hpcc-failed":
        pytest.skip("this host has more than 320 GB of free memory")
    assert (done.returncode, data["id"]) == (2, "hpcc-memory")
    with pytest.raises(UsageError, match="a matrix of 11,586 rows takes 1 GiB, and 1 GiB are free"):
        hpl.check_order(11_586, 1 << 30)
    hpl.check_order(11_585, 1 << 30)
    hpl.check_order(200_000, None)
