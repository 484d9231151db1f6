"""What of a proof of slices could not be compared, and is said: CPUs that are offline or exclusive, policies that are one."""

from __future__ import annotations

from pathlib import Path

import pytest

from facts_builder import target
from plimsoll.flows import host_slice_notes
from plimsoll.flows.host_slice_notes import noise_elsewhere, notes_of
from plimsoll.host.noise import NoisePlace
from plimsoll.placement.slices.proving import Places, _shared
from plimsoll.requests.host_slice_prove import HostSliceProveRequest

BOTH = frozenset({0, 1, 2, 3})


def _place(*cpus: int) -> NoisePlace:
    return NoisePlace((Path("/none"),), frozenset(cpus))


def _places(free: NoisePlace | None, **more: object) -> Places:
    told: dict[str, object] = {"own": _place(0, 1), "noise": _place(2, 3), "free": free, "quiet": (), **more}
    return Places(**told)  # pyright: ignore[reportArgumentType]


def _told(places: Places, policies: str = "", own: tuple[int, ...] = (0,), nodes: int = 2) -> dict[str, str]:
    words = {"slice": "a", "noise": "b", **({"policies": policies} if policies else {})}
    asked = HostSliceProveRequest.of_words(words)
    return {one.code: one.message for one in notes_of(asked, places, frozenset(range(nodes)), frozenset(own))}


def test_where_all_is_to_be_had_nothing_is_said() -> None:
    assert _told(_places(_place(0, 1, 2, 3))) == {}


def test_an_offline_cpu_is_offline_and_not_exclusive() -> None:
    told = _told(_places(_place(0, 1, 2), offline=frozenset({3})))
    assert list(told) == ["prove-offline"]
    assert "(3)" in told["prove-offline"]
    assert _shared(BOTH - {3}, usable=frozenset({0, 1, 2, 4, 5, 6})) == {0, 1, 2}


def test_exclusive_cpus_are_told_as_such_and_others_that_are_not_to_be_had_are_not() -> None:
    assert "are exclusive" in _told(_places(None, is_exclusive=True))["prove-exclusive"]
    assert "not to be had" in _told(_places(None))["prove-exclusive"]
    assert "are exclusive" in _told(_places(_place(4, 5, 6, 7), is_exclusive=True))["prove-other-cpus"]
    assert _shared(BOTH, usable=frozenset(range(4, 10))) == {4, 5, 6, 7}
    assert _shared(BOTH, usable=frozenset({4, 5})) == frozenset()


@pytest.mark.parametrize(("balancing", "is_same"), [("0\n", True), ("1\n", False)])
def test_local_is_what_the_kernel_does_without_balancing(
    balancing: str, is_same: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "numa_balancing"
    file.write_text(balancing)
    monkeypatch.setattr(host_slice_notes, "_BALANCING", str(file))
    places = _places(_place(0, 1, 2, 3), policies=_place(0, 1))
    assert ("policies-same" in _told(places, "local")) is is_same
    assert _told(places, "interleave") == {}
    assert "bind" in _told(places, "bind", own=(0, 1))["policies-same"]


def test_policies_that_were_not_compared_say_why() -> None:
    assert "exclusive" in _told(_places(None, is_exclusive=True), "bind")["policies-exclusive"]
    assert "one node" in _told(_places(_place(0, 1, 2, 3)), "bind", nodes=1)["policies-one-node"]


def test_noise_on_another_disk_than_the_database_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    beneath = {Path("/u01/scratch"): "sdb", Path("/u02/pg"): "sdc", Path("/u01/pg"): "sdb"}
    monkeypatch.setattr(host_slice_notes, "device_beneath", beneath.get)
    found = target().but(path="/u01/scratch")
    (note,) = noise_elsewhere(Path("/u02/pg"), found)
    assert note.code == "prove-noise-elsewhere"
    assert "reads sdb, and the database's data are on sdc" in note.message
    assert noise_elsewhere(Path("/u01/pg"), found) == []
    for data, disk in ((Path("/unknown"), found), (None, found), (Path("/u02/pg"), None)):
        assert noise_elsewhere(data, disk) == []
