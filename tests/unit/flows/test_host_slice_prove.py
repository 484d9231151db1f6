"""`plimsoll host slice prove` with real control groups: where measurement and noise are, what is refused, and what is left."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

import command
from facts_topology import topology
from plimsoll.base.errors import UsageError
from plimsoll.facts import Topology
from plimsoll.placement.slices.proving import too_few
from plimsoll.ports import control_groups
from plimsoll.requests.host_slice_prove import HostSliceProveRequest
from slice_commands import Here
from slice_groups import listed, names_of_test

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="control groups are made by root")
start = pytest.fixture(names_of_test, name="start")
FLOW = "plimsoll.flows.host_slice_prove"
SHORT = ("--rounds", "3", "--runtime", "150ms", "--warm-up", "0s", "--size", "16m", "--seed", "5")


class Proved(Here):
    """Slices without caps that are applied, and proofs of them."""

    def __init__(self, folder: Path, start: str) -> None:
        super().__init__(folder, start, iops=None)
        self.folder = folder
        assert self.apply()[0] == 0

    def words(self, *words: str) -> tuple[str, ...]:
        names = (f"{self.start}-a", "--noise", f"{self.start}-b.c")
        return *names, "--target", str(self.folder), "--store", str(self.folder / "runs.sqlite"), *words

    def prove(self, *words: str) -> tuple[int, dict[str, Any]]:
        return self.document("prove", *self.words(*SHORT, *words))


@pytest.fixture
def proved(tmp_path: Path, start: str) -> Proved:
    return Proved(tmp_path, start)


def test_measurement_and_noise_are_in_their_groups_and_nothing_is_left(
    proved: Proved, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, home, groups = listed(proved.start), Path("/proc/self/cgroup").read_text(), list[Path]()
    made_before = control_groups.make
    monkeypatch.setattr(control_groups, "make", lambda group: (groups.append(group), made_before(group)))
    status, data = proved.prove("--noise-kind", "cpu,disk")
    assert status in (0, 1, 5)
    made = Counter((one["stand"], (one["noise"] or {}).get("kind")) for one in data["trials"])
    assert made == {(stand, kind): 3 for stand in ("sliced", "unsliced") for kind in (None, "cpu", "disk")}
    for one in data["trials"]:
        assert one["in_group"]
        assert one["samples_outside"] == 0
        assert one["cell"]["ios"] > 0
        noise = one["noise"]
        if noise is not None:
            assert (noise["in_group"], noise["samples_outside"]) == (True, 0)
            assert noise["done"] > 0
    first, second = (planned.cpus for planned in proved.plan.slices)
    assert (data["cpus"], data["noise_cpus"]) == (list(first), list(second))
    assert data["shared_cpus"] == sorted({*first, *second})
    assert (listed(proved.start), Path("/proc/self/cgroup").read_text()) == (before, home)
    assert groups
    assert not any(group.exists() for group in groups)
    (path,) = proved.folder.glob("runs.sqlite")
    assert json.loads(command.here("store", "show", "latest", "--json", "--store", str(path)).stdout)


def test_the_order_of_trials_is_drawn_anew_for_each_round_by_the_seed(proved: Proved) -> None:
    keys = [(stand, kind) for stand in ("sliced", "unsliced") for kind in (None, "cpu")]
    draw, wanted = Random(5), []
    for _ in range(3):
        order = list(keys)
        draw.shuffle(order)
        wanted += order
    data = proved.prove("--noise-kind", "cpu")[1]
    assert [(one["stand"], (one["noise"] or {}).get("kind")) for one in data["trials"]] == wanted


def test_no_claim_is_made_where_there_are_too_few_cores(proved: Proved) -> None:
    if len(os.sched_getaffinity(0)) > 2:
        pytest.skip("this host has more than two CPUs")
    status, data = proved.prove("--noise-kind", "cpu")
    assert status in (1, 5)
    assert data["too_few"] is not None
    assert (data["answer"], data["effects"][0]["answer"]) == ("cannot tell", "cannot tell")


def test_slices_and_targets_that_cannot_be_are_refused(proved: Proved, tmp_path: Path) -> None:
    one, other = f"{proved.start}-a", f"{proved.start}-b.c"
    assert proved.refused("prove", "nobody", "--noise", other) == (2, "slice-unknown")
    assert proved.refused("prove", one, "--noise", "nobody") == (2, "slice-unknown")
    assert proved.refused("prove", one, "--noise", one) == (2, "noise-same-slice")
    assert proved.refused("prove", one, "--noise", other, "--target", "sim:mean=1ms") == (
        2,
        "noise-simulated",
    )
    (group,) = Path("/sys/fs/cgroup/memory").glob(f"plimsoll-{one}")
    group.rmdir()
    assert proved.refused("prove", *proved.words(*SHORT)) == (4, "slice-gone")
    group.mkdir()
    nowhere = command.here("host", "slice", "prove", "a", "--noise", "b", "--journal", str(tmp_path / "none"))
    assert nowhere.returncode == 2
    assert "plimsoll host slice apply" in nowhere.stderr


def test_both_slices_should_be_quiet(proved: Proved, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Path] = []

    def others(places: Any, _: object) -> None:
        seen.extend(places.quiet)

    monkeypatch.setattr("plimsoll.flows.host_slice_trials.others_at_work", others)
    data = proved.prove("--noise-kind", "cpu")[1]
    assert {one["others_cpu_s"] for one in data["trials"]} == {None}
    for name in (f"{proved.start}-a", f"{proved.start}-b.c"):
        assert Path(f"/sys/fs/cgroup/cpuset/plimsoll-{name}") in seen


def test_slices_that_are_half_made_are_refused(proved: Proved) -> None:
    journal = proved.journal / "slices.journal"
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:-1]))
    assert proved.refused("prove", *proved.words(*SHORT)) == (4, "slices-half-made")


def test_a_slice_that_is_not_as_planned_is_found_and_nothing_is_claimed(proved: Proved) -> None:
    both = ",".join(str(cpu) for planned in proved.plan.slices for cpu in planned.cpus)
    Path(f"/sys/fs/cgroup/cpuset/plimsoll-{proved.start}-a/cpuset.cpus").write_text(both)
    status, data = proved.prove("--noise-kind", "cpu")
    assert (status, data["answer"], data["effects"][0]["answer"]) == (1, "cannot tell", "cannot tell")
    found = {one["code"]: one["message"] for one in data["findings"]}
    assert f"slice {proved.start}-a: " in found["slice-cpus-more"]
    assert "slice-setting" in found


def test_memory_that_does_not_do_for_noise_is_refused(
    proved: Proved, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plimsoll.flows.host_slice_prove.available_bytes", lambda: 32 << 20)
    status, data = proved.document("prove", *proved.words(*SHORT))
    assert (status, data["id"]) == (4, "noise-memory")


def test_memory_that_the_slice_or_its_nodes_have_not_left_is_refused_before_anything_is_filled(
    proved: Proved, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    monkeypatch.setattr(f"{FLOW}.opened", lambda *given: made.append(given))
    for bound in ("left_in_group_bytes", "node_available_bytes"):
        with monkeypatch.context() as patched:
            patched.setattr(f"{FLOW}.{bound}", lambda _: 32 << 20)
            status, data = proved.document("prove", *proved.words(*SHORT))
        assert (status, data["id"]) == (4, "noise-memory")
    assert made == []


def test_memory_is_not_taken_from_who_is_in_the_slice(proved: Proved) -> None:
    with subprocess.Popen(["sleep", "600"]) as other:
        group = Path(f"/sys/fs/cgroup/cpuset/plimsoll-{proved.start}-b.c/cgroup.procs")
        group.write_text(str(other.pid))
        try:
            status, data = proved.document("prove", *proved.words(*SHORT))
        finally:
            other.kill()
            other.wait()
    assert (status, data["id"]) == (4, "noise-beside-others")
    assert str(other.pid) in data["hint"]


def test_memory_policies_have_nothing_to_compare_on_one_node(proved: Proved) -> None:
    if Path("/sys/devices/system/node/node1").exists():
        pytest.skip("this host has several nodes")
    done = proved.done(
        "prove", *proved.words(*SHORT, "--noise-kind", "cpu", "--policies", "off,local", "--json")
    )
    document = command.document(done)
    assert "policies-one-node" in {one["code"] for one in document["warnings"]}
    assert document["data"]["policies"] == []
    assert not any(one["policy"] for one in document["data"]["trials"])


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ({"noise": "a"}, "noise-same-slice"),
        ({"noise_kind": "cpu,fan"}, "noise-unknown"),
        ({"noise_kind": ""}, "noise-unknown"),
        ({"noise_kind": "cpu,cpu"}, "noise-unknown"),
        ({"policies": "near"}, "policy-unknown"),
        ({"policies": "off"}, "policies-alone"),
        ({"rounds": "2"}, "usage"),
    ],
)
def test_what_cannot_be_asked_is_refused(words: dict[str, str], code: str) -> None:
    with pytest.raises(UsageError) as raised:
        HostSliceProveRequest.of_words({"slice": "a", "noise": "b", **words}).check_names()
    assert raised.value.id == code


def _host(cores: int, threads: int = 1) -> Topology:
    """CPUs of a core are numbered one after the other."""
    found = topology()
    one = next(cpu for cpu in found.cpus if cpu.online)
    cpus = tuple(one.but(id=number, core=number // threads) for number in range(cores * threads))
    return found.but(cpus=cpus)


def test_each_slice_needs_a_core_of_its_own_and_so_do_others() -> None:
    assert too_few(_host(3), (0,), (1,)) is None
    assert too_few(_host(4), (0, 1), (2,)) is None
    assert "all of them in the two slices" in (too_few(_host(2), (0,), (1,)) or "")
    assert "same core" in (too_few(_host(4, threads=2), (0,), (1, 2)) or "")
    assert too_few(_host(3, threads=2), (0, 1), (2, 3)) is None
    assert "online" in (too_few(_host(3), (0,), (9,)) or "")
