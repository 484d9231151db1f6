"""Another Python of ours: it runs a module of this very package, and trusts no more of its surroundings than this one does."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from plimsoll.base.values import value
from plimsoll.ports.processes import is_root

if TYPE_CHECKING:
    from plimsoll.ports.processes import Process

_OWN = str(Path(__file__).parents[2])
_PACKAGE = """\
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
own = sys.argv[1]
spec = PathFinder.find_spec("plimsoll", [own])
sys.modules["plimsoll"] = package = module_from_spec(spec)
spec.loader.exec_module(package)
if own not in sys.path:
    sys.path.append(own)
"""
"""The package is taken from our folder wherever that stands in the path: put first, what else lies there, as a module that an old
Python lacked, would take the place of the standard library's.
"""
_BEGIN = f"{_PACKAGE}sys.exit(import_module(sys.argv[2]).main(sys.argv[3:]))\n"
_COMMAND = f"{_PACKAGE}del sys.argv[1]\nimport_module('plimsoll.cli.main').main()\n"


@value
class OwnPython:
    """One that was started, and what goes to it and comes from it, without buffers: a thread that waits at one holds no lock."""

    process: Process[bytes]
    asks: IO[bytes]
    answers: IO[bytes]


def start_own(module: str) -> OwnPython:
    """Starts one, out of reach of the terminal's Ctrl-C; its `main` finds its ends by `own_ends`. Raises OSError.

    They are no standard streams: whatever prints there while it starts, as a module that the site loads, is in nobody's way.
    """
    import subprocess

    theirs_asked, asks = os.pipe()
    answers, theirs_answers = os.pipe()
    try:
        process = subprocess.Popen(
            python_of_ours(module, [str(theirs_asked), str(theirs_answers)]),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(theirs_asked, theirs_answers),
            start_new_session=True,
        )
    except BaseException:
        os.close(asks)
        os.close(answers)
        raise
    finally:
        os.close(theirs_asked)
        os.close(theirs_answers)
    return OwnPython(process, open(asks, "wb", buffering=0), open(answers, "rb", buffering=0))


def own_ends(arguments: Sequence[str]) -> tuple[IO[bytes], IO[bytes]]:
    """There: what is asked, and where answers go, without buffers. Programs that it starts do not get them."""
    asked, answers = map(int, arguments)
    for number in (asked, answers):
        os.set_inheritable(number, False)
    return open(asked, "rb", buffering=0), open(answers, "wb", buffering=0)


def python_of_ours(module: str, arguments: Sequence[str] = ()) -> list[str]:
    """The command that calls `main` of a module of ours with these arguments. Raises OSError."""
    return _own_python(_BEGIN, [module, *arguments])


def command_of_ours(words: Sequence[str]) -> list[str]:
    """The command line of this very package, as `plimsoll` with these words. Raises OSError."""
    return _own_python(_COMMAND, words)


def _own_python(script: str, words: Sequence[str]) -> list[str]:
    if not sys.executable:
        raise FileNotFoundError(errno.ENOENT, "this Python does not know its own program (sys.executable)")
    return [sys.executable, *_flags(), "-c", script, _OWN, *words]


def _flags() -> list[str]:
    """Those of this Python that keep surroundings out. The current folder is never where modules are looked for.

    Root's HOME may be that of somebody else, as under `sudo -E`, and what lies there is not to be run with root's rights.
    """
    if sys.flags.isolated:
        return ["-I"]
    wanted = {
        "-E": sys.flags.ignore_environment,
        "-s": sys.flags.no_user_site or is_root(),
        "-S": sys.flags.no_site,
    }
    return [*(flag for flag, is_set in wanted.items() if is_set), "-P"]
