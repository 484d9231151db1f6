"""What is done to a host, each act on a folder that looks like control groups: done, undone, and what others changed meanwhile."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from plimsoll.base.errors import SafetyError, WorldError
from plimsoll.placement.slices.applying.acts import (
    Act,
    BusyError,
    MakeExclusive,
    PassOn,
    PutShared,
    RaisePages,
)
from plimsoll.placement.slices.applying.units import Command, MakeDropIns, WriteUnit

COST = "ctrl=user model=linear rbps=1"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """With a disk that is shared already, and a group of somebody else."""
    (tmp_path / "io.cost.qos").write_text("8:0 enable=1 ctrl=user\n")
    (tmp_path / "cgroup.subtree_control").write_text("memory\n")
    (tmp_path / "theirs").mkdir()
    return tmp_path


def _done(act: Act) -> tuple[Act, dict[str, int | str]]:
    ready = act.seen()
    return ready, ready.do()


def test_a_disk_that_was_shared_before_is_shared_as_before(top: Path) -> None:
    """The kernel keeps a line for each disk; a file keeps what was written last."""
    file = top / "io.cost.qos"
    act, learned = _done(PutShared(str(file), "8:0", "enable=1 ctrl=auto"))
    assert (file.read_text(), learned) == ("8:0 enable=1 ctrl=auto\n", {"after": "enable=1 ctrl=auto"})
    assert act.back == f"echo '8:0 enable=1 ctrl=user' > {file}"
    assert act.undo(learned) is None
    assert file.read_text() == "8:0 enable=1 ctrl=user\n"


@pytest.mark.parametrize(("name", "neutral"), [("io.cost.qos", "enable=0"), ("io.cost.model", "ctrl=auto")])
def test_a_disk_that_was_not_shared_is_switched_off(top: Path, name: str, neutral: str) -> None:
    file = top / name
    file.write_text("")
    act, learned = _done(PutShared(str(file), "8:16", "enable=1"))
    assert act.undo(learned) is None
    assert file.read_text() == f"8:16 {neutral}\n"


def test_what_somebody_changed_is_left_and_named(top: Path) -> None:
    file = top / "io.cost.qos"
    act, learned = _done(PutShared(str(file), "8:0", "enable=1 ctrl=auto"))
    file.write_text("8:0 enable=0\n")
    assert act.undo(learned) == f"{file}: the line of 8:0 was changed meanwhile, and is left as it is"
    assert file.read_text() == "8:0 enable=0\n"


def test_a_controller_is_passed_on_no_more_unless_it_was_before(top: Path) -> None:
    file = top / "cgroup.subtree_control"
    had, learned = _done(PassOn(str(file), "memory"))
    assert (had.back, had.undo(learned), file.read_text()) == ("", None, "memory\n")
    act, learned = _done(PassOn(str(file), "cpuset"))
    assert file.read_text() == "+cpuset\n"
    file.write_text("memory cpuset\n")
    assert act.undo(learned) is None
    assert file.read_text().startswith("-cpuset\n")


@pytest.mark.parametrize(
    ("name", "text", "is_used"),
    [
        ("cpuset.cpus", "3", True), ("cpuset.cpus", "", False), ("cgroup.subtree_control", "cpuset", True),
        ("memory.max", "4096", False),
    ],
)  # fmt: skip
def test_a_controller_that_others_use_by_now_is_passed_on(
    top: Path, name: str, text: str, is_used: bool
) -> None:
    file = top / "cgroup.subtree_control"
    act, learned = _done(PassOn(str(file), "cpuset"))
    file.write_text("cpuset\n")
    (top / "theirs" / name).write_text(f"{text}\n")
    said = act.undo(learned)
    assert (said is not None, file.read_text() == "cpuset\n") == (is_used, is_used)
    if is_used:
        assert said == f"{file} still passes cpuset on, as the group theirs uses it by now"


def test_a_group_that_goes_before_does_not_use_a_controller(top: Path) -> None:
    """As in a dry run, in which groups of ours are still there."""
    file = top / "cgroup.subtree_control"
    act, learned = _done(PassOn(str(file), "cpuset"))
    file.write_text("cpuset\n")
    (top / "theirs" / "cpuset.cpus").write_text("3\n")
    assert act.left(learned) == f"{file} still passes cpuset on, as the group theirs uses it by now"
    assert (act.left(learned, {top / "theirs"}), file.read_text()) == (None, "cpuset\n")


def test_what_is_left_is_said_before_and_nothing_is_changed(top: Path) -> None:
    unit, pages = top / "50-plimsoll.conf", top / "nr_hugepages"
    pages.write_text("2\n")
    acts = (
        WriteUnit(str(unit), "[Slice]\n"),
        RaisePages(str(pages), 8),
        PutShared(str(top / "io.cost.qos"), "8:0", "enable=1 ctrl=auto"),
    )
    done = [_done(act) for act in acts]
    assert [act.left(learned) for act, learned in done] == [None] * 3
    texts = {unit: "[Slice]\nAllowedCPUs=7\n", pages: "20\n", top / "io.cost.qos": "8:0 enable=0\n"}
    for path, text in texts.items():
        path.write_text(text)
    said = [act.left(learned) for act, learned in done]
    assert all(one is not None and one.endswith("is left as it is") for one in said)
    assert {path: path.read_text() for path in texts} == texts
    assert [act.undo(learned) for act, learned in done] == said


@pytest.mark.parametrize(
    ("controller", "name", "text", "is_used"),
    [
        ("cpuset", "cpuset.cpus", "0", True), ("cpuset", "cpuset.mems", "0", True),
        ("cpuset", "cpuset.cpus.partition", "root", True), ("cpuset", "cpuset.cpus.partition", "member", False),
        ("memory", "memory.max", "0", True), ("memory", "memory.max", "max", False),
        ("memory", "memory.low", "0", False), ("memory", "memory.low", "max", True),
        ("memory", "memory.swap.max", "0", True), ("memory", "memory.swap.max", "max", False),
        ("io", "io.weight", "default 100", False), ("io", "io.weight", "default 50", True),
        ("io", "io.max", "8:0 riops=100", True), ("io", "io.prio.class", "no-change", False),
    ],
)  # fmt: skip
def test_each_file_of_a_group_has_its_own_word_for_nothing_set(
    top: Path, controller: str, name: str, text: str, is_used: bool
) -> None:
    file = top / "cgroup.subtree_control"
    file.write_text("\n")
    act, learned = _done(PassOn(str(file), controller))
    file.write_text(f"{controller}\n")
    (top / "theirs" / name).write_text(f"{text}\n")
    assert (act.undo(learned) is not None) == is_used


CHOSEN = "enable=1 ctrl=auto rpct=0.00 rlat=0 wpct=0.00 wlat=0 min=1.00 max=10000.00"


@pytest.mark.parametrize(
    ("name", "before", "written"),
    [
        ("io.cost.qos", CHOSEN, "enable=1 ctrl=auto"),
        ("io.cost.model", "ctrl=auto model=linear rbps=7", "ctrl=auto"),
    ],
)
def test_values_that_the_kernel_chose_are_not_written_as_ours(
    top: Path, monkeypatch: pytest.MonkeyPatch, name: str, before: str, written: str
) -> None:
    monkeypatch.setattr("plimsoll.ports.control_groups.put", lambda path, line: path.write_text(f"{line}\n"))
    file = top / name
    file.write_text(f"8:0 {before}\n")
    act, learned = _done(PutShared(str(file), "8:0", "enable=1 ctrl=user rlat=9"))
    assert act.back == f"echo '8:0 {written}' > {file}"
    assert act.undo(learned) is None
    assert file.read_text() == f"8:0 {written}\n"
    file.write_text(f"8:0 {before.replace('0.00', '5.00').replace('rbps=7', 'rbps=9')}\n")
    assert (act.undo(learned), act.undo(None)) == (
        None,
        None,
    )  # It was taken back, and the kernel chose anew.


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("io.cost.qos", "enable=0 ctrl=user rpct=0.00 rlat=9"),
        ("io.cost.model", "ctrl=auto model=linear rbps=7"),
    ],
)
def test_a_line_that_the_kernel_keeps_of_a_disk_is_taken_back(top: Path, name: str, line: str) -> None:
    """It had none before; a revert that was killed is begun again."""
    file = top / name
    file.write_text("")
    act, learned = _done(PutShared(str(file), "8:16", "enable=1 ctrl=user rlat=9"))
    file.write_text(f"8:16 {line}\n")
    assert act.undo(learned) is None
    assert file.read_text() == f"8:16 {line}\n"


def test_huge_pages_are_raised_and_brought_back(tmp_path: Path) -> None:
    file = tmp_path / "nr_hugepages"
    for before, after in ((2, 8), (9, 9)):
        file.write_text(f"{before}\n")
        act, learned = _done(RaisePages(str(file), 8))
        assert int(file.read_text()) == after
        assert act.undo(learned) is None
        assert int(file.read_text()) == before


def test_huge_pages_that_somebody_changed_are_left_and_named(tmp_path: Path) -> None:
    file = tmp_path / "nr_hugepages"
    file.write_text("2\n")
    act, learned = _done(RaisePages(str(file), 8))
    file.write_text("20\n")
    assert act.undo(learned) == f"{file} was changed to 20 meanwhile, and is left as it is"
    assert act.undo(None) is not None
    file.write_text("5\n")
    assert act.undo(None) is None  # A kill came before the kernel was done.
    assert file.read_text() == "2\n"


def test_huge_pages_without_room_are_told(tmp_path: Path) -> None:
    with pytest.raises(WorldError, match="there are no huge pages of that node and size") as caught:
        RaisePages(str(tmp_path / "none"), 8).seen()
    assert caught.value.id == "slices-refused"


def test_a_partition_that_the_kernel_does_not_make_is_refused(top: Path) -> None:
    class Refusing(MakeExclusive):
        """The kernel takes the word, and says that it came to nothing."""

    from unittest.mock import patch

    file = top / "theirs" / "cpuset.cpus.partition"
    file.write_text("member\n")
    with (
        patch("plimsoll.ports.control_groups.put", lambda path, value: path.write_text(f"{value} invalid\n")),
        pytest.raises(WorldError, match="are not its own: the kernel says 'root invalid'"),
    ):
        Refusing(str(file), "root").do()


def test_a_unit_is_written_where_none_is_and_goes_as_it_was(tmp_path: Path) -> None:
    folder = MakeDropIns(str(tmp_path / "a.slice.d")).seen()
    unit, learned = WriteUnit(str(tmp_path / "a.slice.d" / "50-plimsoll.conf"), "[Slice]\n"), folder.do()
    unit.seen().do()
    assert Path(unit.path).read_text() == "[Slice]\n"
    with pytest.raises(SafetyError, match="is there already, and is left as it is"):
        unit.seen()
    assert (unit.undo({}), folder.undo(learned)) == (None, None)
    assert list(tmp_path.iterdir()) == []
    assert (unit.undo({}), folder.undo(learned)) == (None, None)


def test_a_unit_that_a_kill_left_in_the_middle_goes_with_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = MakeDropIns(str(tmp_path / "a.slice.d"))
    folder.do()
    unit = WriteUnit(str(tmp_path / "a.slice.d" / "50-plimsoll.conf"), "[Slice]\n")
    theirs = tmp_path / "a.slice.d" / ".plimsoll-notes.part"
    theirs.touch()
    with monkeypatch.context() as killed:
        killed.setattr("plimsoll.ports.folders.Folder.publish", _killed)
        killed.setattr("plimsoll.ports.folders.os.unlink", _killed)
        with pytest.raises(KeyboardInterrupt):
            unit.do()
    assert len(list(theirs.parent.iterdir())) == 2
    assert unit.undo(None) is None
    assert list(theirs.parent.iterdir()) == [theirs]
    theirs.unlink()
    assert folder.undo(None) is None
    assert list(tmp_path.iterdir()) == []


def _killed(*given: object, **named: object) -> None:
    """No more of it is done, nor cleared up."""
    raise KeyboardInterrupt


class Systemd:
    """Knows units that have a file, and fails for others."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        self.stubborn = ""

    def run(self, words: list[str], timeout_s: float) -> subprocess.CompletedProcess[str]:
        self.asked.append(" ".join(words[1:]))
        units = [one for one in words[2:] if not one.startswith("-")]
        wrong = [one for one in units if one == self.stubborn or not (self.folder / one).exists()]
        return subprocess.CompletedProcess(words, bool(wrong), "", f"trouble with {' '.join(wrong)}")


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Systemd:
    made = Systemd(tmp_path)
    monkeypatch.setattr("plimsoll.placement.slices.applying.units.FOLDER", tmp_path)
    monkeypatch.setattr("plimsoll.ports.processes.run", made.run)
    return made


@pytest.mark.parametrize("way_back", [("disable", "--now", "a.service"), ("stop", "a.slice", "b.slice")])
def test_units_that_a_killed_revert_has_removed_are_taken_as_done(
    systemd: Systemd, way_back: tuple[str, ...]
) -> None:
    assert Command((), way_back).undo({}) is None
    assert systemd.asked == [" ".join(way_back)]


def test_units_that_are_left_are_stopped_and_what_fails_of_them_is_told(systemd: Systemd) -> None:
    (systemd.folder / "b.slice").touch()
    act = Command((), ("stop", "a.slice", "b.slice"))
    assert act.undo({}) is None
    assert systemd.asked == ["stop a.slice b.slice", "stop b.slice"]
    systemd.stubborn = "b.slice"
    with pytest.raises(BusyError, match=r"`systemctl stop a\.slice b\.slice` failed: trouble with b\.slice"):
        act.undo({})
    (systemd.folder / "a.slice").touch()
    with pytest.raises(BusyError, match=r"trouble with b\.slice"):
        act.undo({})


def test_a_unit_that_was_edited_stays_with_its_folder(tmp_path: Path) -> None:
    folder = MakeDropIns(str(tmp_path / "a.slice.d")).seen()
    folder.do()
    unit = WriteUnit(str(tmp_path / "a.slice.d" / "50-plimsoll.conf"), "[Slice]\n")
    unit.do()
    Path(unit.path).write_text("[Slice]\nAllowedCPUs=7\n")
    assert unit.undo({}) == f"{unit.path} was changed meanwhile, and is left as it is"
    assert folder.undo({}) is None
    assert "AllowedCPUs=7" in Path(unit.path).read_text()


def test_a_unit_in_the_place_of_a_link_is_neither_read_nor_removed(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("[Slice]\n")
    unit = WriteUnit(str(tmp_path / "50-plimsoll.conf"), "[Slice]\n")
    Path(unit.path).symlink_to(theirs)
    with pytest.raises(SafetyError):
        unit.do()
    with pytest.raises(BusyError, match="could not remove"):
        unit.undo({})
    assert theirs.read_text() == "[Slice]\n"
