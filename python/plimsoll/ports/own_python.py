"""Another Python of ours: it runs a module of this very package, and trusts no more of its surroundings than this one does."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence
from pathlib import Path

from plimsoll.ports.processes import is_root

_OWN = str(Path(__file__).parents[2])
_BEGIN = """\
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
own, name = sys.argv[1:3]
spec = PathFinder.find_spec("plimsoll", [own])
sys.modules["plimsoll"] = package = module_from_spec(spec)
spec.loader.exec_module(package)
if own not in sys.path:
    sys.path.append(own)
sys.exit(import_module(name).main(sys.argv[3:]))
"""
"""The package is taken from our folder wherever that stands in the path: put first, what else lies there, as a module that an old
Python lacked, would take the place of the standard library's.
"""


def python_of_ours(module: str, arguments: Sequence[str] = ()) -> list[str]:
    """The command that calls `main` of a module of ours with these arguments. Raises OSError."""
    if not sys.executable:
        raise FileNotFoundError(errno.ENOENT, "this Python does not know its own program (sys.executable)")
    return [sys.executable, *_flags(), "-c", _BEGIN, _OWN, module, *arguments]


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
