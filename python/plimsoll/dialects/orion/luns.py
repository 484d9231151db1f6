"""The .lun file: which targets a test named, one path on each line. There are no comments in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import UsageError, world_error
from plimsoll.facts import Note
from plimsoll.ports import files
from plimsoll.supply.remote import is_remote
from plimsoll.supply.simulation import is_simulated

_SUFFIX = ".lun"
_FILE_BYTES_MAX = 1 << 20
"""Thousands of paths; a device or data file named by mistake is larger."""


@dataclass(frozen=True)
class Luns:
    """The targets, and the test's name as its files carry it."""

    testname: str
    file: Path
    targets: tuple[str, ...]
    notes: tuple[Note, ...] = ()


def read_luns(testname: str) -> Luns:
    """The targets of `<testname>.lun`.

    Raises UsageError `orion-lun-missing`, `orion-lun-unreadable`, WorldError `orion-lun-refused`.
    A name that ends in .lun is the file itself where there is no `x.lun.lun`, which is what the original looks for and fails.
    """
    path = Path(testname + _SUFFIX)
    if os.path.exists(path) or not testname.endswith(_SUFFIX):
        return Luns(testname, path, _targets(path, testname))
    bare = testname.removesuffix(_SUFFIX)
    message = f"-testname {testname} was read as -testname {bare}; ORION itself would look for {path}"
    path = Path(testname)
    return Luns(bare, path, _targets(path, bare), (Note(code="orion-testname", message=message),))


def _targets(path: Path, testname: str) -> tuple[str, ...]:
    found: dict[str, int] = {}
    for number, line in enumerate(_lines(path, testname), start=1):
        target = line.strip()
        if not target:
            continue
        _check(path, number, target)
        if target in found:
            raise _unreadable(
                f"{path}:{number}: {target} stands on line {found[target]} already",
                "Each target counts once. Take one of the two lines out.",
            )
        found[target] = number
    if not found:
        raise _unreadable(
            f"{path} names no target", "Write the path of a device or file on a line of its own."
        )
    return tuple(found)


def _lines(path: Path, testname: str) -> list[str]:
    no_list = _unreadable(
        f"{path} is not a list of paths",
        "It has one path on each line; a target itself is not named here.",
    )
    try:
        content = files.read_input(path, _FILE_BYTES_MAX)
    except files.TooLargeError as error:
        raise no_list from error
    except FileNotFoundError as error:
        hint = "Write the paths of the targets into it, one on each line, or name the test with -testname."
        raise UsageError(
            "orion-lun-missing", f"there is no {path}, the targets of test {testname}", hint
        ) from error
    except OSError as error:
        raise world_error(
            "orion-lun-refused", f"read {path}", error, f"Look at it with ls -l {path}."
        ) from error
    if b"\0" in content:
        raise no_list
    return os.fsdecode(content).replace("\r\n", "\n").split("\n")


def _check(path: Path, number: int, target: str) -> None:
    if not target.isprintable():
        raise _unreadable(
            f"{path}:{number}: the path is no text that can be printed",
            "The files of the test name their targets. Give this one a symbolic link with a plain name.",
        )
    if is_simulated(target) or is_remote(target) or os.path.lexists(target):
        return
    hint = " There are no comments in it." if target.startswith(("#", ";", "--")) else ""
    raise _unreadable(
        f"{path}:{number}: there is no {target}", f"Each line is the path of one device or file.{hint}"
    )


def _unreadable(message: str, hint: str) -> UsageError:
    return UsageError("orion-lun-unreadable", message, hint)
