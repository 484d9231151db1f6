"""Folders held open: what is done with a name happens in that very folder, wherever its path leads by now.

A path is looked up anew at each system call, and whoever may change a folder on the way can make it lead elsewhere in between.
So a folder is opened once, step by step, and everything in it is reached through its descriptor (openat(2) and its relatives);
links inside are never followed. For root each step is looked at, too: see `why_untrusted` and `_check_link`.
"""

from __future__ import annotations

import errno
import fcntl
import os
import pwd
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from plimsoll.base.values import value

_STEP = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_LOOK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_LINKS_MAX = 40
"""As the kernel has it (path_resolution(7))."""
_NEW_FILE_MODE = 0o666
_NEW_FOLDER_MODE = 0o777
"""Less the umask, as for every program."""
_PART_START, _PART_END = ".plimsoll-", ".part"
_PART = re.compile(rf"{re.escape(_PART_START)}[0-9a-f]{{16}}{re.escape(_PART_END)}")
_OTHERS_WRITE = 0o022
_END_BYTES = 1 << 16
"""Where a mark near the end is looked for: more than what Parquet writes behind its own list of columns and groups."""


@value
class Mark:
    """By what a file of ours is known again, before another takes its place: nobody else's begins so.

    Where a format begins the same whoever writes it, `near_end` stands among its last 64 KiB, too.
    """

    start: bytes
    near_end: bytes = b""

    def is_in(self, file: BinaryIO) -> bool:
        """Whether the open file has it."""
        if file.read(len(self.start)) != self.start:
            return False
        size_bytes = file.seek(0, os.SEEK_END)
        file.seek(max(0, size_bytes - _END_BYTES))
        return self.near_end in file.read(_END_BYTES)

    def is_of(self, content: bytes) -> bool:
        """Whether this content would be known by it."""
        return content.startswith(self.start) and self.near_end in content[-_END_BYTES:]


class UntrustedError(OSError):
    """Somebody else could change what lies there; `strerror` says who and where."""

    def __init__(self, reason: str) -> None:
        super().__init__(errno.EPERM, reason)


class Folder:
    """An open folder. `path` is what it was called when it was opened; its `state` is of the folder itself."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self._descriptor = descriptor
        self.path = path
        self.state: os.stat_result = os.fstat(descriptor)

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets the folder go; it stays where it is."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    @property
    def real_path(self) -> Path:
        """Where the folder is now, without links, as the kernel has it."""
        return Path(os.readlink(f"/proc/self/fd/{self._descriptor}"))

    @property
    def identity(self) -> tuple[int, int]:
        """Device and inode number."""
        return self.state.st_dev, self.state.st_ino

    def names(self) -> list[str]:
        """What lies in it, sorted."""
        return sorted(os.listdir(self._descriptor))

    def look(self, name: str) -> os.stat_result | None:
        """The state of what has this name, a link's own; None when nothing has."""
        try:
            return os.stat(_plain(name), dir_fd=self._descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open_file(self, name: str, to_write: bool = False) -> BinaryIO:
        """A regular file, open to be read; a link is an error (ELOOP), and so is anything else (`NotRegularError`)."""
        flags, mode = (_LOOK | os.O_RDWR, "r+b") if to_write else (_LOOK, "rb")
        return os.fdopen(self._opened_regular(name, flags), mode)

    def new_file(self, name: str, mode: int = _NEW_FILE_MODE) -> BinaryIO:
        """A new empty file, open to be written; FileExistsError when the name is taken, also by a link."""
        return os.fdopen(os.open(_plain(name), _NEW, mode, dir_fd=self._descriptor), "wb")

    def open_stream(self, name: str) -> BinaryIO:
        """A pipe or a character device, open to be written. Raises OSError (ENXIO) when nobody has the pipe open to read."""
        flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        descriptor = os.open(_plain(name), flags, dir_fd=self._descriptor)
        if not is_stream(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise FileExistsError(errno.EEXIST, "it became something else")
        os.set_blocking(descriptor, True)
        return os.fdopen(descriptor, "wb")

    def lock(self) -> bool:
        """Whether nobody else has it locked; it is locked until it is closed, or this process ends (flock(2))."""
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def append(self, name: str, content: bytes, is_settled: bool = False) -> None:
        """Adds to a file, which is made when it is missing; with `is_settled` it is on disk when this returns."""
        flags = _LOOK | os.O_WRONLY | os.O_APPEND | os.O_CREAT
        with os.fdopen(self._opened_regular(name, flags), "ab") as file:
            file.write(content)
            if is_settled:
                file.flush()
                os.fsync(file.fileno())

    def replace(self, name: str, content: bytes, mark: Mark) -> None:
        """All of `content` or nothing under this name, on disk when this returns; a reader never sees a half-written file.

        `mark` is that of all files of its kind. Raises FileExistsError as `check_ours` does.
        """
        assert mark.is_of(content), f"{name} would not be known again"
        self.check_ours(name, mark)
        with self._unseen_part() as (part, file):
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.replace(part, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
            file.close()
        self.settle()

    def add_whole(self, name: str, content: bytes, mode: int = _NEW_FILE_MODE) -> None:
        """A new file with all of `content`, on disk when this returns, or none; FileExistsError when the name is taken."""
        with self._unseen_part(mode) as (part, file):
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            file.close()
            self.publish(part, name)
        self.settle()

    def begin(self, name: str, mark: Mark) -> BinaryIO:
        """A new empty file under this name, open to be written, in place of an earlier one of its kind: of those with the mark.

        Raises FileExistsError as `check_ours` does.
        """
        self.check_ours(name, mark)
        with self._unseen_part() as (part, file):
            os.replace(part, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
            return file

    @contextmanager
    def _unseen_part(self, mode: int = _NEW_FILE_MODE) -> Iterator[tuple[str, BinaryIO]]:
        """A new file under a name that nobody can foresee; closed and removed when the block fails."""
        part = f"{_PART_START}{os.urandom(8).hex()}{_PART_END}"
        file = os.fdopen(os.open(part, _NEW, mode, dir_fd=self._descriptor), "wb")
        try:
            yield part, file
        except BaseException:
            with suppress(OSError):
                file.close()
            with suppress(FileNotFoundError):
                os.unlink(part, dir_fd=self._descriptor)
            raise

    def parts(self) -> list[str]:
        """What has the name of a file that a command of this user, which was killed, had begun in `add_whole` or `replace`."""
        states = {name: self.look(name) for name in self.names() if _PART.fullmatch(name)}
        own = os.geteuid()
        return [
            name
            for name, state in states.items()
            if state and stat.S_ISREG(state.st_mode) and state.st_uid == own
        ]

    def remove_parts(self) -> None:
        """Removes all of them; no command may be at work here."""
        for name in self.parts():
            self.remove_file(name)

    def check_ours(self, name: str, mark: Mark) -> None:
        """That what has this name may be replaced by a file with this mark: it is an earlier one of its kind, or empty.

        Raises FileExistsError for any other file, which is somebody's data, named by mistake; and for links, devices, pipes.
        """
        state = self.look(name)
        if state is None:
            return
        if stat.S_ISDIR(state.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(state.st_mode):
            raise FileExistsError(
                errno.EEXIST, f"it is {kind_of(state.st_mode)}, and would be replaced by a file"
            )
        if state.st_size == 0:
            return
        with self.open_file(name) as file:
            if not mark.is_in(file):
                raise FileExistsError(errno.EEXIST, "it holds something else, which would be lost")

    def child(self, name: str) -> Folder:
        """A folder in it; a link is an error (ENOTDIR)."""
        return Folder(os.open(_plain(name), _FOLDER, dir_fd=self._descriptor), self.path / name)

    def new_child(self, name: str, mode: int) -> Folder:
        """A new folder with exactly this mode; FileExistsError when the name is taken."""
        os.mkdir(_plain(name), 0o700, dir_fd=self._descriptor)
        made = self.child(name)
        made.change_mode(mode)
        return made

    def ensured_child(self, name: str, mode: int = _NEW_FOLDER_MODE) -> Folder:
        """The folder in it, made where it is missing."""
        with suppress(FileExistsError):
            os.mkdir(_plain(name), mode, dir_fd=self._descriptor)
        return self.child(name)

    def change_mode(self, mode: int) -> None:
        """Sets the mode of the folder itself."""
        os.fchmod(self._descriptor, mode)
        self.state = os.fstat(self._descriptor)

    def change_owner(self, user_id: int, group_id: int) -> None:
        """Hands the folder itself to another user."""
        os.fchown(self._descriptor, user_id, group_id)
        self.state = os.fstat(self._descriptor)

    def move(self, name: str, to: Folder, new_name: str) -> None:
        """Gives a file or folder another name, in a folder of the same file system."""
        os.rename(_plain(name), _plain(new_name), src_dir_fd=self._descriptor, dst_dir_fd=to._descriptor)

    def publish(self, name: str, new_name: str, to: Folder | None = None) -> None:
        """Gives a file its final name, here or in a folder of the same file system.

        Raises FileExistsError when something has that: nothing is ever overwritten.
        """
        here, target = self._descriptor, to or self
        there = target._descriptor
        try:
            os.link(_plain(name), _plain(new_name), src_dir_fd=here, dst_dir_fd=there, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:
            # No hard links here (FAT, some network file systems): the name is taken first, then filled.
            target.new_file(new_name).close()
            os.replace(name, new_name, src_dir_fd=here, dst_dir_fd=there)
            return
        os.unlink(name, dir_fd=here)

    def remove(self, name: str) -> None:
        """Removes a file or a link, or a folder with all in it as far as that can be; no error when it is gone already."""
        state = self.look(name)
        if state is None:
            return
        if stat.S_ISDIR(state.st_mode):
            import shutil  # with what unpacks archives: most commands remove no folder

            shutil.rmtree(name, ignore_errors=True, dir_fd=self._descriptor)
        else:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=self._descriptor)

    def remove_file(self, name: str) -> None:
        """Removes a file or a link, never a folder; no error when it is gone already."""
        with suppress(FileNotFoundError):
            os.unlink(_plain(name), dir_fd=self._descriptor)

    def remove_if_empty(self, name: str) -> None:
        """Removes a folder that nothing is in; one that holds something stays."""
        try:
            os.rmdir(_plain(name), dir_fd=self._descriptor)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT):
                raise

    def remove_child(self, name: str, identity: tuple[int, int]) -> None:
        """Removes the folder of this name with all in it, if it is that very folder. Raises OSError when something stays."""
        with self.child(name) as child:
            if child.identity != identity:
                raise FileExistsError(errno.EEXIST, "another folder has taken its name")
            for inner in child.names():
                child.remove(inner)
        os.rmdir(name, dir_fd=self._descriptor)

    def settle(self) -> None:
        """Waits until its list of names is on disk, where the file system can be told to."""
        with suppress(OSError):
            os.fsync(self._descriptor)

    def _opened_regular(self, name: str, flags: int) -> int:
        descriptor = os.open(_plain(name), flags, _NEW_FILE_MODE, dir_fd=self._descriptor)
        try:
            check_regular(os.fstat(descriptor).st_mode)
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor


def _plain(name: str) -> str:
    """The name, which must be one: a path would lead out of the folder."""
    if "/" in name or name in ("", ".", ".."):
        raise ValueError(f"{name!r} is no name within a folder")
    return name


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
    stat.S_IFLNK: "a link",
}


def is_stream(mode: int) -> bool:
    """Whether what is written to it is gone: a pipe, a terminal, /dev/null."""
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def kind_of(mode: int) -> str:
    """What a mode says that something is, with its article."""
    return _KINDS.get(stat.S_IFMT(mode), "something else")


def check_regular(mode: int) -> None:
    """That it is a regular file. Raises NotRegularError."""
    if not stat.S_ISREG(mode):
        raise NotRegularError(kind_of(mode))


def open_folder(path: Path | str) -> Folder:
    """The folder at `path`. Links on the way are followed, for root only those that root made: see `_check_link`.

    Raises OSError, `UntrustedError` among them.
    """
    return _opened(Path(path), _nothing)


def open_trusted(path: Path | str) -> Folder:
    """The folder at `path`; as root only if nobody else can change it or what leads to it. Raises OSError, `UntrustedError`."""
    return _opened(Path(path).absolute(), _check_step if os.geteuid() == 0 else _nothing)


def why_untrusted(path: Path | str) -> str | None:
    """Who else could change the folder at `path`, or what leads to it; None when only root and this user can.

    Sticky folders such as /tmp are fine: what is in them belongs to whoever made it. Of what is not there yet, the folder that
    it would be made in is looked at.
    """
    whole = Path(path).absolute()
    try:
        _opened(whole, _check_step).close()
    except UntrustedError as error:
        return error.strerror
    except FileNotFoundError:
        return why_untrusted(whole.parent)
    except OSError:
        return None
    return None


def ensured_folder(path: Path | str, mode: int = _NEW_FOLDER_MODE) -> Folder:
    """The folder at `path`, made with its parents where missing. Raises as `open_folder` does."""
    whole = Path(path)
    try:
        return open_folder(whole)
    except FileNotFoundError:
        if whole.name in ("", "..") or os.path.islink(whole):
            raise
    with ensured_folder(whole.parent, mode) as parent:
        return parent.ensured_child(whole.name, mode)


Check = Callable[[os.stat_result, str], None]
"""Looks at each folder on the way; raises OSError."""


def _opened(path: Path, check: Check) -> Folder:
    step = _reached(path, check)
    try:
        return Folder(os.open(".", _FOLDER, dir_fd=step), path)
    except PermissionError:
        # One may write to a folder that one may not list.
        return Folder(os.open(".", _STEP | os.O_DIRECTORY, dir_fd=step), path)
    finally:
        os.close(step)


def _reached(path: Path, check: Check) -> int:
    """A descriptor of where the path leads (O_PATH), reached one step at a time from the root, or the current folder."""
    waiting = list(path.parts[::-1])
    shown = ""
    links = 0
    here = os.open("/" if path.is_absolute() else ".", _STEP | os.O_DIRECTORY)
    if not path.is_absolute():
        check(os.fstat(here), os.getcwd())
    try:
        while waiting:
            part = waiting.pop()
            if part == "/":
                here, shown = _exchanged(here, os.open("/", _STEP)), ""
            else:
                step = os.open(part, _STEP, dir_fd=here)
                state = os.fstat(step)
                if stat.S_ISLNK(state.st_mode):
                    links += 1
                    waiting += _leading_to(step, state, f"{shown}/{part}", links)
                    continue
                here, shown = _exchanged(here, step), f"{shown}/{part}"
            check(os.fstat(here), shown or "/")
    except BaseException:
        os.close(here)
        raise
    return here


def _exchanged(old: int, new: int) -> int:
    os.close(old)
    return new


def _leading_to(link: int, state: os.stat_result, shown: str, links: int) -> list[str]:
    """The steps of a link's target, the first one last."""
    try:
        if links > _LINKS_MAX:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        _check_link(state, shown)
        return list(Path(os.readlink("", dir_fd=link)).parts[::-1])
    finally:
        os.close(link)


def _nothing(state: os.stat_result, shown: str) -> None:
    """Any folder will do."""


def _check_link(state: os.stat_result, shown: str) -> None:
    """Root follows its own links alone: through anybody else's it would write wherever they like."""
    if os.geteuid() == 0 and state.st_uid != 0:
        raise UntrustedError(f"{shown} is a link that user {user_name(state.st_uid)} made")


def _check_step(state: os.stat_result, shown: str) -> None:
    if not stat.S_ISDIR(state.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    if state.st_uid not in (0, os.geteuid()):
        raise UntrustedError(f"{shown} belongs to user {user_name(state.st_uid)}")
    if state.st_mode & _OTHERS_WRITE and not state.st_mode & stat.S_ISVTX:
        raise UntrustedError(f"other users can write to {shown}")


def user_name(user_id: int) -> str:
    """The account's name, or its number where it has none."""
    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:
        return str(user_id)
