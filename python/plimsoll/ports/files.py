"""Files: the few operations that change the file system, and reading of the kernel's own files.

Nothing here decides whether a write is allowed; that is `plimsoll.host.safety`'s work.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, TypeVar

from plimsoll.ports.folders import Mark, check_regular, ensured_folder, is_stream, open_folder
from plimsoll.ports.folders import NotRegularError as NotRegularError

T = TypeVar("T")
_PORTION_BYTES = 1 << 20


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
    """The beginning of a text file that may be long; None when it cannot be read, or is no regular file."""
    try:
        with open_regular(path) as file:
            return file.read(bytes_max).decode(errors="replace")
    except OSError:
        return None


def open_regular(path: Path | str) -> BinaryIO:
    """A regular file, open to be read. Anything else is never opened: a pipe would wait, a device might act.

    Raises OSError, `NotRegularError` among them.
    """
    descriptor, _ = _opened_regular(path)
    try:
        return io.BufferedReader(_Ready(descriptor, "rb"))
    except BaseException:
        os.close(descriptor)
        raise


def first_bytes(path: Path | str, bytes_max: int) -> tuple[bytes, os.stat_result]:
    """The beginning of a regular file, and what the file was when it was opened, in as few calls of the system as that takes: for
    looks at thousands of them.

    Raises OSError, `NotRegularError` among them.
    """
    descriptor, state = _opened_regular(path)
    try:
        return os.read(descriptor, bytes_max), state
    finally:
        os.close(descriptor)


def _opened_regular(path: Path | str) -> tuple[int, os.stat_result]:
    check_regular(os.stat(path).st_mode)
    # What is at the path may be another thing by now, and then this must not wait for it either.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        state = os.fstat(descriptor)
        check_regular(state.st_mode)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, state


class _Ready(io.FileIO):
    """A file that has its bytes ready. Some of the kernel's own look like files and have none until something happens."""

    def readinto(self, buffer: Any, /) -> int:
        return self._had(super().readinto(buffer))

    def readall(self) -> bytes:
        return self._had(super().readall())

    def _had(self, found: T | None) -> T:
        if found is None:
            raise BlockingIOError(errno.EAGAIN, "it has nothing to be read now")
        return found


class TooLargeError(OSError):
    """The file is longer than anything of its kind; `size_bytes` is its length, None where only reading shows it."""

    def __init__(self, size_bytes: int | None, bytes_max: int) -> None:
        super().__init__(errno.EFBIG, f"it is longer than {bytes_max:,} bytes, the most that is read")
        self.size_bytes = size_bytes
        self.bytes_max = bytes_max


def read_input(path: Path | str, bytes_max: int) -> bytes:
    """All of a regular file that somebody named: the door for whatever is not ours. Never waits, never takes more than that.

    Raises OSError, `NotRegularError` and `TooLargeError` among them.
    """
    with open_regular(path) as file:
        return _all_of(file, bytes_max)


def _all_of(file: BinaryIO, bytes_max: int) -> bytes:
    size_bytes = os.fstat(file.fileno()).st_size
    if size_bytes > bytes_max:
        raise TooLargeError(size_bytes, bytes_max)
    # Files that grow, and those of the kernel, which say that they are empty, hold more than they say.
    content = file.read(bytes_max + 1) if size_bytes else b"".join(_portions(file, bytes_max + 1))
    if len(content) > bytes_max:
        raise TooLargeError(None, bytes_max)
    return content


def _portions(file: BinaryIO, bytes_max: int) -> Iterator[bytes]:
    """The kernel sets memory aside for all that one read asks for, and of its settings (/proc/sys) it refuses 4 MiB and more."""
    left = bytes_max
    while left and (part := file.read(min(left, _PORTION_BYTES))):
        yield part
        left -= len(part)


class ExposedError(OSError):
    """A file that holds a secret can be read or changed by others."""

    def __init__(self, mode: int) -> None:
        super().__init__(errno.EPERM, f"which has mode {mode:04o}")


def read_secret(path: Path | str, bytes_max: int) -> bytes:
    """The same of a file that nobody else may get at. Raises OSError, `ExposedError` among them."""
    with open_regular(path) as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ExposedError(mode)
        return _all_of(file, bytes_max)


def length_and_identity(path: Path | str) -> tuple[int, str]:
    """How long a regular file is now, and which one it is. Raises OSError, `NotRegularError` among them."""
    with open_regular(path) as file:
        return _length_and_identity(file)


def _length_and_identity(file: BinaryIO) -> tuple[int, str]:
    found = os.fstat(file.fileno())
    return found.st_size, f"{found.st_dev}:{found.st_ino}"


def read_beyond(path: Path | str, at_bytes: int, identity: str, bytes_max: int) -> tuple[bytes, bool]:
    """What a regular file that grows, such as a log, holds beyond a place in it; never more than that.

    All of it where it was cut or is another one by now, and whether that is so. Raises OSError.
    """
    with open_regular(path) as file:
        length, now = _length_and_identity(file)
        same = now == identity and length >= at_bytes
        file.seek(at_bytes if same else 0)
        return file.read(bytes_max), not same


STANDARD_INPUT = "standard input"
"""What messages call it; in commands it is `-`."""


def is_standard_input(path: Path | str) -> bool:
    """Whether a name in a command stands for standard input."""
    return str(path) == "-"


def read_standard_input(bytes_max: int) -> bytes:
    """All that comes in through standard input, up to its end: the same door, for what somebody pipes in.

    Raises OSError, `TooLargeError` among them; where standard input is closed as well.
    """
    with open(0, "rb", closefd=False) as stream:
        content = stream.read(bytes_max + 1)
    if len(content) > bytes_max:
        raise TooLargeError(None, bytes_max)
    return content


def write_text_atomically(path: Path, text: str, start: str) -> None:
    """All of `text` or nothing at `path`, on disk when this returns; a reader never sees a half-written file.

    Every file of its kind begins with `start`, and nobody else's does: only such a one is replaced. Raises as `Folder.replace`.
    """
    write_atomically(path, text.encode(), Mark(start.encode()))


def write_atomically(path: Path, content: bytes, mark: Mark) -> None:
    """The same of any content, known by its mark. Raises as `Folder.replace`."""
    with open_folder(path.parent) as folder:
        folder.replace(path.name, content, mark)


def open_lines(path: Path, start: bytes) -> BinaryIO:
    """A file to write lines to as they come: new, or in place of an earlier one of its kind, all of which begin with `start`.

    A pipe that somebody reads, and a character device such as a terminal, are written to as they are.

    Raises OSError, FileExistsError for anything else that is there.
    """
    number = _own_descriptor(path)
    if number is not None:
        return os.fdopen(os.dup(number), "wb")
    with open_folder(path.parent) as folder:
        state = folder.look(path.name)
        if state is not None and is_stream(state.st_mode):
            return folder.open_stream(path.name)
        return folder.begin(path.name, Mark(start))


_OWN_DESCRIPTORS = ("/dev/fd", "/proc/self/fd")
_STANDARD = {"/dev/stdout": 1, "/dev/stderr": 2}


def _own_descriptor(path: Path) -> int | None:
    """The number in `/dev/fd/63`, as shells write it for `>(…)`: what is open already needs no path."""
    if str(path.parent) in _OWN_DESCRIPTORS and path.name.isdigit():
        return int(path.name)
    return _STANDARD.get(str(path))


def create_empty(path: Path, mode: int = 0o600) -> os.stat_result:
    """A new empty file; FileExistsError when something of that name is there, so nothing is ever overwritten."""
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, mode)
    try:
        return os.fstat(descriptor)
    finally:
        os.close(descriptor)


def allocate(path: Path, size_bytes: int) -> None:
    """A new file of that size for this user alone, all of which has its room already. Raises OSError."""
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, size_bytes)
    finally:
        os.close(descriptor)


def open_output(path: Path) -> IO[str]:
    """A new empty file, open to take a program's output; FileExistsError when something of that name is there."""
    return open(path, "x", encoding="utf-8")


def open_spool(bytes_in_memory_max: int) -> IO[str]:
    """Text that is written, then read, and gone once it is closed; what is longer lies in a file without a name."""
    import tempfile  # few commands need it, and it takes its time to load

    # Whatever Python takes for text is read as it was written.
    form: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogatepass", "newline": ""}
    return tempfile.SpooledTemporaryFile(bytes_in_memory_max, "w+", **form)


def write_new(path: Path, text: str) -> None:
    """A new file with that text; FileExistsError when something of that name is there."""
    with open_output(path) as file:
        file.write(text)


def open_terminal(descriptor: int) -> IO[str]:
    """The terminal behind a descriptor, open for writing."""
    return os.fdopen(
        os.open(os.ttyname(descriptor), os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC), "w", encoding="utf-8"
    )


def publish(source: Path, name: str) -> None:
    """Gives a file its final name in its folder. Raises as `Folder.publish` does."""
    with open_folder(source.parent) as folder:
        folder.publish(source.name, name)


def device_number(path: Path | str) -> int | None:
    """The number of a block device's node; None when it is no block device, or not there."""
    try:
        state = os.stat(path)
    except (OSError, ValueError):
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


def ensure_folder(path: Path, mode: int = 0o777) -> Path:
    """The folder, made with its parents where missing, with this mode less the umask."""
    ensured_folder(path, mode).close()
    return path


def change_owner(file: BinaryIO, user_id: int, group_id: int) -> None:
    """Hands an open file to another user."""
    os.fchown(file.fileno(), user_id, group_id)


def copy_tree(source: Path, target: Path) -> None:
    """Copies a folder with its modes and symbolic links."""
    import shutil

    shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)


def remove(path: Path) -> None:
    """Removes a file, or a folder with all in it; no error when it is gone already."""
    with suppress(FileNotFoundError), open_folder(path.parent) as folder:
        folder.remove(path.name)


def free_bytes(path: Path) -> int | None:
    """Bytes that this user can still write to the file system of `path`; None where it does not say (ramfs)."""
    space = os.statvfs(path)
    return space.f_bavail * space.f_frsize if space.f_blocks else None


def share_file_system(one: Path, other: Path) -> bool:
    """Whether what is written to one takes up room of the other. Raises OSError."""
    return os.stat(one).st_dev == os.stat(other).st_dev


def is_full(folder: Path, needed_bytes: int) -> bool:
    """Whether so much cannot be written there, or no new file made; False where the file system does not say."""
    try:
        space = os.statvfs(folder)
    except OSError:
        return False
    free = free_bytes(folder)
    return (free is not None and free < needed_bytes) or (space.f_files > 0 and space.f_favail == 0)


def why_closed(path: Path) -> str:
    """Why nothing may be written there, as it stands behind a colon: to be asked where that is known."""
    return "its file system is read-only" if is_read_only(path) else "permission denied"


def is_read_only(path: Path) -> bool:
    """Whether its file system takes no writes: mounted so, or since it found an error, which its flags do not always say."""
    try:
        if os.statvfs(path).f_flag & os.ST_RDONLY:
            return True
        # A file without a name is gone as soon as it is closed.
        os.close(os.open(path if path.is_dir() else path.parent, os.O_TMPFILE | os.O_WRONLY, 0o600))
    except OSError as error:
        return error.errno == errno.EROFS
    return False


def set_attribute(file: BinaryIO, name: str, value: str) -> bool:
    """Sets an extended attribute of an open file; False where the file system has none."""
    try:
        os.setxattr(file.fileno(), name, value.encode())
    except OSError:
        return False
    return True


def get_attribute(path: Path, name: str) -> str | None:
    """An extended attribute's value; None when it is not there, or cannot be."""
    try:
        return os.getxattr(path, name, follow_symlinks=False).decode(errors="replace")
    except OSError:
        return None


def standard_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Standard input and output without buffers, which threads may wait at while the process ends: a buffer has a lock, and Python
    aborts where a thread still holds it then.
    """
    return open(0, "rb", buffering=0, closefd=False), open(1, "wb", buffering=0, closefd=False)
