"""Files: the few operations that change the file system, and reading of the kernel's own files.

Nothing here decides whether a write is allowed; that is `plimsoll.host.safety`'s work.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path
from typing import IO, BinaryIO

_START_BYTES = 4
"""By so many first bytes the formats that we write are told from each other, and from what others wrote."""


def read_text(path: Path | str) -> str | None:
    """Contents of a small file (sysfs, procfs), stripped; None when it cannot be read."""
    try:
        return Path(path).read_text(errors="replace").strip()
    except OSError:
        return None


def read_bytes(path: Path | str) -> bytes | None:
    """Contents of a small file that is no text; None when it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError:
        return None


def read_head(path: Path | str, bytes_max: int) -> str | None:
    """The beginning of a text file that may be long; None when it cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(bytes_max).decode(errors="replace")
    except OSError:
        return None


def open_regular(path: Path | str) -> BinaryIO:
    """A regular file, open to be read. Anything else is never opened: a pipe would wait, a device might act.

    Raises OSError, `NotRegularError` among them.
    """
    _check_regular(os.stat(path).st_mode)
    # What is at the path may be another thing by now, and then this must not wait for it either.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        _check_regular(os.fstat(descriptor).st_mode)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


class NotRegularError(OSError):
    """The path leads to no regular file; `what` says to what it leads."""

    def __init__(self, what: str) -> None:
        super().__init__(errno.EINVAL, f"it is {what}, not a file")
        self.what = what


_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
}


def _check_regular(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise NotRegularError(_KINDS.get(stat.S_IFMT(mode), "something else"))


def write_text_atomically(path: Path, text: str) -> None:
    """All of `text` or nothing at `path`, on disk when this returns; a reader never sees a half-written file."""
    write_bytes_atomically(path, text.encode())


def write_bytes_atomically(path: Path, content: bytes) -> None:
    """All of `content` or nothing at `path`, on disk when this returns. Raises FileExistsError as `check_alike` does."""
    check_alike(path, content[:_START_BYTES])
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(part, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def check_alike(path: Path, start: bytes) -> None:
    """That a file at `path` may be replaced by one that starts so: it is an earlier one of its kind, or empty.

    Raises FileExistsError for any other file: somebody's data, named by mistake.
    """
    try:
        if not path.is_file():
            return
        with open(path, "rb") as file:
            found = file.read(len(start))
    except OSError:
        return
    if found and found != start:
        raise FileExistsError(errno.EEXIST, "it holds something else, which would be lost")


def append_line(path: Path, line: str) -> None:
    """Adds one line and waits until it is on disk."""
    with open(path, "a", encoding="utf-8") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def append_bytes(path: Path, content: bytes) -> None:
    """Adds to a file, which is made when it is missing. What was added is on disk only after `settle`."""
    with open(path, "ab") as file:
        file.write(content)


def settle(path: Path) -> None:
    """Waits until a file, or a folder's list of names, is on disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def move(source: Path, target: Path) -> None:
    """Gives a file or folder another name on the same file system."""
    os.rename(source, target)


def create_empty(path: Path, mode: int = 0o600) -> os.stat_result:
    """A new empty file; FileExistsError when something of that name is there, so nothing is ever overwritten."""
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, mode)
    try:
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def open_output(path: Path) -> IO[str]:
    """A new empty file, open to take a program's output; FileExistsError when something of that name is there."""
    return open(path, "x", encoding="utf-8")


def open_text(path: Path) -> IO[str]:
    """A text file that the user named, open for writing from its start."""
    return open(path, "w", encoding="utf-8")


def publish(source: Path, name: Path) -> None:
    """Gives a file its final name. FileExistsError when something of that name is there: nothing is ever overwritten."""
    try:
        os.link(source, name, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        # No hard links here (FAT, some network file systems): the name is taken first, then filled.
        create_empty(name)
        os.replace(source, name)
        return
    os.unlink(source)


def device_number(path: Path | str) -> int | None:
    """The number of a block device's node; None when it is no block device, or not there."""
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_rdev if stat.S_ISBLK(state.st_mode) else None


def mount_id(path: Path) -> int | None:
    """The kernel's number of the mount that holds `path` (proc_pid_fdinfo(5)); None when it cannot be told."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        lines = (read_text(f"/proc/self/fdinfo/{descriptor}") or "").splitlines()
    finally:
        os.close(descriptor)
    return next((int(line.split()[1]) for line in lines if line.startswith("mnt_id:")), None)


def make_folder(path: Path, mode: int = 0o700) -> os.stat_result:
    """A new folder with exactly this mode; FileExistsError when something of that name is there."""
    path.mkdir()
    path.chmod(mode)
    return path.stat()


def ensure_folder(path: Path) -> Path:
    """The folder, made with its parents where missing."""
    path.mkdir(parents=True, exist_ok=True)
    return path


def change_owner(path: Path, user_id: int, group_id: int) -> None:
    """Hands a file or folder to another user."""
    os.chown(path, user_id, group_id)


def copy_tree(source: Path, target: Path) -> None:
    """Copies a folder with its modes and symbolic links."""
    shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)


def remove(path: Path) -> None:
    """Removes a file, or a folder with all in it; no error when it is gone already."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def free_bytes(path: Path) -> int | None:
    """Bytes that this user can still write to the file system of `path`; None where it does not say (ramfs)."""
    space = os.statvfs(path)
    return space.f_bavail * space.f_frsize if space.f_blocks else None


def set_attribute(path: Path, name: str, value: str) -> bool:
    """Sets an extended attribute; False where the file system has none."""
    try:
        os.setxattr(path, name, value.encode())
    except OSError:
        return False
    return True


def get_attribute(path: Path, name: str) -> str | None:
    """An extended attribute's value; None when it is not there, or cannot be."""
    try:
        return os.getxattr(path, name).decode(errors="replace")
    except OSError:
        return None
