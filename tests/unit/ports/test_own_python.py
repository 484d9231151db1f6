"""Another Python of ours: this very package, and nothing of its surroundings that this one would not take."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import deadly
import plimsoll
from plimsoll.context import Ended, LocalExecutor
from plimsoll.ports import own_python

OWN = str(Path(plimsoll.__file__).parents[1])


def flags(**given: bool) -> SimpleNamespace:
    """Those of a Python of which only these are set."""
    names = ("isolated", "ignore_environment", "no_user_site", "no_site")
    return SimpleNamespace(**{name: given.get(name, False) for name in names})


@pytest.mark.parametrize(
    ("given", "root", "expected"),
    [
        (flags(), False, ["-P"]),
        (flags(), True, ["-s", "-P"]),
        (flags(ignore_environment=True), False, ["-E", "-P"]),
        (flags(no_user_site=True, no_site=True), False, ["-s", "-S", "-P"]),
        (flags(isolated=True, ignore_environment=True, no_user_site=True), True, ["-I"]),
    ],
)
def test_it_keeps_out_what_this_one_keeps_out(
    given: SimpleNamespace, root: bool, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_python, "is_root", lambda: root)
    monkeypatch.setattr(sys, "flags", given)
    command = own_python.python_of_ours("plimsoll.context.worker", ["7"])
    assert command[1 : command.index("-c")] == expected
    assert command[-3:] == [OWN, "plimsoll.context.worker", "7"]


def test_where_this_one_takes_nothing_of_the_environment_neither_does_it(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.is_foreign = True\n")
    asks = (
        "import sys; sys.path[:0] = sys.argv[1:]; from plimsoll.context import LocalExecutor; "
        'print(list(LocalExecutor(1).apart(eval, [\'[hasattr(sys, "is_foreign") for sys in [__import__("sys")]]\'])))'
    )
    surroundings = {"PYTHONHOME": "/nonexistent", "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-I", "-c", asks, OWN],
        env={**os.environ, **surroundings},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.endswith(", [False])]]\n"), done


def test_it_is_this_very_package_behind_the_standard_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plimsoll").mkdir()
    (tmp_path / "plimsoll" / "__init__.py").write_text("raise SystemExit(3)\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(tmp_path), str(Path(deadly.__file__).parent))))
    [[(_, found)]] = LocalExecutor(1).apart(deadly.surroundings, [["x"]])
    assert not isinstance(found, Ended)
    package, of_library, path = found
    assert package == plimsoll.__file__
    assert OWN in path
    assert path.index(OWN) > path.index(str(Path(of_library).parent))


def test_a_python_that_does_not_know_its_program_is_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    for unknown in ("", None):
        monkeypatch.setattr(sys, "executable", unknown)
        with pytest.raises(FileNotFoundError, match="does not know its own program"):
            own_python.python_of_ours("plimsoll.context.worker")
