"""The gate: only our own files are written to, whatever stands in their place, and nobody else can grant a permit."""

from __future__ import annotations

import ast
import copy
import os
import pickle
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import plimsoll
from plimsoll.base.errors import ExitStatus, SafetyError, UsageError
from plimsoll.context import Scratch
from plimsoll.host import safety
from plimsoll.ports import files

PACKAGE = Path(plimsoll.__file__).parent
ROOT = os.geteuid() == 0


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Scratch]:
    with Scratch(tmp_path / "journal") as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder on a file system that keeps extended attributes."""
    probe = tmp_path / "probe"
    probe.touch()
    with open(probe, "rb") as file:
        kept = files.set_attribute(file, "user.plimsoll.probe", "1")
    if not kept:
        pytest.skip("the file system of the tests keeps no extended attributes")
    probe.unlink()
    return tmp_path


@pytest.fixture
def kept(folder: Path, scratch: Scratch) -> Path:
    """A file of ours that the user keeps."""
    path = folder / "kept.dat"
    _keep(path, scratch)
    return path


def _keep(path: Path, scratch: Scratch) -> safety.WritePermit:
    made = scratch.new_file(path.parent, "prefill", ".dat")
    made.write_bytes(b"random data" * 1000)
    permit = safety.keep(safety.permit_scratch(made, scratch), path)
    assert safety.remember(permit)
    return permit


def _refusal(path: Path, id: str = "foreign-file-refused") -> str:
    """The message of the refusal, after a look at all that goes with it."""
    before = path.lstat()
    with pytest.raises(SafetyError) as refused:
        safety.permit(path)
    assert refused.value.id == id
    assert refused.value.status is ExitStatus.REFUSED_FOR_SAFETY
    assert "--prefill" in (refused.value.hint or "")
    assert path.lstat() == before or path.is_char_device()
    return refused.value.message


# Scratch files


def test_a_scratch_file_is_granted_with_its_identity(tmp_path: Path, scratch: Scratch) -> None:
    path = scratch.new_file(tmp_path, "scratch")
    permit = safety.permit_scratch(path, scratch)
    state = path.stat()
    assert (permit.path, permit.device, permit.inode) == (str(path), state.st_dev, state.st_ino)


def test_a_file_that_only_looks_like_scratch_is_refused(tmp_path: Path, scratch: Scratch) -> None:
    path = tmp_path / "plimsoll-scratch-0123456789abcdef.dat"
    path.write_text("a user's own")
    with pytest.raises(SafetyError, match="is not a scratch file of this command") as refused:
        safety.permit_scratch(path, scratch)
    assert refused.value.id == "not-scratch"


def test_another_commands_scratch_is_refused(tmp_path: Path, scratch: Scratch) -> None:
    with Scratch(tmp_path / "journal") as other, pytest.raises(SafetyError):
        safety.permit_scratch(other.new_file(tmp_path, "scratch"), scratch)


@pytest.mark.parametrize("swap", ["file", "symlink", "hard link", "folder"])
def test_what_took_the_place_of_a_scratch_file_is_refused(
    tmp_path: Path, scratch: Scratch, swap: str
) -> None:
    precious = tmp_path / "precious"
    precious.write_text("a user's own")
    path = scratch.new_file(tmp_path, "scratch")
    if swap == "hard link":
        os.link(path, tmp_path / "second-name")
    else:
        path.rename(tmp_path / "aside")
        actions = {"file": path.touch, "symlink": lambda: path.symlink_to(precious), "folder": path.mkdir}
        actions[swap]()
    with pytest.raises(SafetyError):
        safety.permit_scratch(path, scratch)


# Files that the user keeps


def test_a_kept_file_is_granted_again_and_again(kept: Path) -> None:
    for _ in range(3):
        permit = safety.permit(kept)
        assert (permit.device, permit.inode) == (kept.stat().st_dev, kept.stat().st_ino)
        with kept.open("r+b") as file:
            file.write(os.urandom(100))
        assert safety.remember(permit)


def test_keeping_leaves_one_file_under_the_users_name(folder: Path, scratch: Scratch) -> None:
    permit = _keep(folder / "kept.dat", scratch)
    assert permit.path == str(folder / "kept.dat")
    assert [entry.name for entry in folder.iterdir() if entry.is_file()] == ["kept.dat"]
    scratch.close()
    assert (folder / "kept.dat").exists(), "it is no longer scratch"


def test_a_kept_file_can_be_renamed(kept: Path) -> None:
    moved = kept.with_name("moved.dat")
    kept.rename(moved)
    assert safety.permit(moved).path == str(moved)


def test_somebody_elses_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear customer,")
    assert "plimsoll did not make it" in _refusal(path)


@pytest.mark.parametrize("length", [0, 1 << 20])
def test_an_empty_file_and_one_of_zeros_are_refused_too(tmp_path: Path, length: int) -> None:
    """What they hold does not matter: a database may be about to fill them."""
    path = tmp_path / "reserved"
    path.touch()
    os.truncate(path, length)
    assert "plimsoll did not make it" in _refusal(path)


def test_a_kept_file_that_somebody_else_wrote_to_is_refused(kept: Path) -> None:
    with kept.open("r+b") as file:
        file.write(b"a user's own")
    assert "something else has written to it" in _refusal(kept)


def test_a_kept_file_that_was_overwritten_by_cp_is_refused(kept: Path) -> None:
    own = kept.with_name("own")
    own.write_text("a user's own")
    subprocess.run(["cp", str(own), str(kept)], check=True)
    assert files.get_attribute(kept, safety._MARK) is not None, "cp keeps inode and attributes"
    assert "something else has written to it" in _refusal(kept)


def test_a_copy_of_a_kept_file_with_its_mark_is_refused(kept: Path) -> None:
    copied = kept.with_name("copied")
    shutil.copy2(kept, copied)
    assert files.get_attribute(copied, safety._MARK) is not None, "copy2 copies attributes"
    assert "it is a copy" in _refusal(copied)


def test_a_second_name_of_a_kept_file_takes_the_grant_away(kept: Path) -> None:
    os.link(kept, kept.with_name("second"))
    assert "it has 2 names" in _refusal(kept)
    assert "it has 2 names" in _refusal(kept.with_name("second"))


def test_a_symbolic_link_to_a_kept_file_is_refused(kept: Path) -> None:
    link = kept.with_name("link")
    link.symlink_to(kept)
    assert "it is a symbolic link" in _refusal(link)


@pytest.mark.skipif(not ROOT, reason="only root can give a file away")
def test_a_kept_file_of_another_user_is_refused(kept: Path) -> None:
    os.chown(kept, 65534, 65534)
    assert "it belongs to another user" in _refusal(kept)


def test_without_attributes_nothing_is_remembered_and_nothing_granted(
    folder: Path, scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system without them answers with an error, here of the kernel itself: the namespace does not exist."""
    monkeypatch.setattr(safety, "_MARK", "plimsoll.no-such-namespace")
    made = scratch.new_file(folder, "prefill")
    permit = safety.keep(safety.permit_scratch(made, scratch), folder / "kept.dat")
    assert not safety.remember(permit)
    assert "keeps no marks" in _refusal(folder / "kept.dat")


def test_a_file_that_took_the_name_meanwhile_is_not_marked(kept: Path) -> None:
    permit = safety.permit(kept)
    kept.rename(kept.with_name("aside"))
    kept.write_text("a user's own")
    assert not safety.remember(permit)
    assert files.get_attribute(kept, safety._MARK) is None


@pytest.mark.parametrize("there", ["file", "empty", "zeros", "folder", "symlink", "dangling", "kept"])
def test_prefill_overwrites_nothing(folder: Path, scratch: Scratch, there: str) -> None:
    path = folder / "taken"
    own = folder / "own"
    own.write_text("a user's own")
    makers = {
        "file": lambda: path.write_text("a user's own"),
        "empty": path.touch,
        "zeros": lambda: path.write_bytes(bytes(8192)),
        "folder": path.mkdir,
        "symlink": lambda: path.symlink_to(own),
        "dangling": lambda: path.symlink_to(folder / "nothing"),
        "kept": lambda: _keep(path, scratch),
    }
    makers[there]()
    before = path.lstat()
    with pytest.raises(SafetyError, match="exists already") as early:
        safety.check_new(path)
    assert early.value.id == "file-exists"
    assert "new one" in (early.value.hint or "")
    made = scratch.new_file(folder, "prefill")
    with pytest.raises(SafetyError, match="exists already"):
        safety.keep(safety.permit_scratch(made, scratch), path)
    assert path.lstat().st_ino == before.st_ino
    assert path.lstat().st_mtime_ns == before.st_mtime_ns
    assert own.read_text() == "a user's own"
    assert not (folder / "nothing").exists()


def test_without_hard_links_a_file_is_kept_all_the_same(
    folder: Path, scratch: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    permit = _keep(folder / "kept.dat", scratch)
    assert safety.permit(folder / "kept.dat").inode == permit.inode
    made = scratch.new_file(folder, "prefill")
    with pytest.raises(SafetyError, match="exists already"):
        safety.keep(safety.permit_scratch(made, scratch), folder / "kept.dat")


# Devices and other things


def test_a_device_is_no_file_of_ours(tmp_path: Path) -> None:
    devices = [path for path in Path("/dev").iterdir() if path.is_block_device()]
    if not devices:
        pytest.skip("no block device here")
    link = tmp_path / "by-id"
    link.symlink_to(devices[0])
    for path in (devices[0], link):
        assert safety.is_device(path)
        assert "is not a plain file" in _refusal(path)
        with pytest.raises(SafetyError, match="is not a plain file") as refused:
            safety.check_new(path)
        assert refused.value.id == "foreign-file-refused"
    assert not safety.is_device(tmp_path)
    assert not safety.is_device(Path("/dev/null"))


def test_a_file_cannot_be_given_up_with_destroy(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear customer,")
    safety.check_confirmations(path, ["/dev/none=0815"])
    with pytest.raises(SafetyError, match="is no block device") as refused:
        safety.check_confirmations(path, ["/dev/none=0815", f"{path}={path.stat().st_ino}"])
    assert refused.value.id == "destroy-not-a-device"
    with pytest.raises(UsageError) as unreadable:
        safety.check_confirmations(path, [str(path)])
    assert unreadable.value.id == "destroy-unreadable"


def test_pipes_folders_and_character_devices_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/null")):
        with pytest.raises(SafetyError, match="not a plain file") as refused:
            safety.permit(path)
        assert refused.value.id == "foreign-file-refused"


def test_what_is_not_there_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as missing:
        safety.permit(tmp_path / "nothing")
    assert missing.value.id == "target-missing"
    safety.check_new(tmp_path / "nothing")


# The permit itself


def test_a_permit_cannot_be_made_elsewhere(kept: Path) -> None:
    for key in (None, object(), "key", True):
        with pytest.raises(TypeError, match=r"granted by plimsoll\.host\.safety alone"):
            safety.WritePermit(kept, kept.stat(), key)


def test_a_permit_cannot_be_changed_copied_or_varied(kept: Path) -> None:
    permit = safety.permit(kept)
    for name in ("path", "device", "inode", "number", "other"):
        with pytest.raises(AttributeError):
            setattr(permit, name, 1)
    with pytest.raises(AttributeError):
        del permit.inode
    with pytest.raises(TypeError):
        copy.copy(permit)
    with pytest.raises(TypeError):
        copy.deepcopy(permit)
    with pytest.raises(TypeError):
        pickle.dumps(permit)
    with pytest.raises(TypeError):
        type("Forged", (safety.WritePermit,), {})


def test_nobody_else_constructs_a_permit() -> None:
    """The engine trusts the attributes of what it is handed, so the package itself must have one source of them."""
    makers, key_holders, inode_holders = set(), set(), set()
    for file in PACKAGE.rglob("*.py"):
        name, text = file.relative_to(PACKAGE).as_posix(), file.read_text(encoding="utf-8")
        if not re.search(r"WritePermit|_KEY|safety|inode", text):
            continue  # To take a file apart takes longer than to see that it has none of these names.
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("WritePermit"):
                makers.add(name)
            if isinstance(node, ast.Attribute | ast.Name | ast.alias) and "safety._KEY" in ast.unparse(node):
                key_holders.add(name)
            if isinstance(node, ast.ImportFrom) and node.module == "plimsoll.host.safety":
                key_holders |= {name for alias in node.names if alias.name.startswith("_")}
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "inode":
                inode_holders.add(name)
    assert makers == {"host/safety.py"}
    assert inode_holders == {"host/safety.py"}
    assert key_holders == set()
