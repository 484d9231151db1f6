"""`python fuzz/parse.py NAME [libFuzzer's words]`: one target of `fuzz/parsers`, under atheris, which watches where inputs lead.

`--list` prints the targets' names, `--seeds FOLDER NAME` writes inputs to begin with, `--replay NAME FILE…` tries files alone,
without atheris. A target is a file of that folder with `seeds`, and with `one`, which raises for what must not happen.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]


def names() -> list[str]:
    """Targets, sorted."""
    return sorted(path.stem for path in (HERE / "parsers").glob("*.py") if not path.stem.startswith("_"))


def target(name: str) -> ModuleType:
    """The target of that name."""
    return importlib.import_module(f"parsers.{name}")


def write_seeds(folder: Path, name: str) -> None:
    """Each input under a name made of its content."""
    folder.mkdir(parents=True, exist_ok=True)
    for content in target(name).seeds():
        (folder / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)


def fuzz(name: str, words: list[str]) -> None:
    """Runs until libFuzzer's own words say that it is enough; ends the process."""
    import atheris

    with atheris.instrument_imports(include=["plimsoll", "tarfile", "zipfile", "gzip"]):
        one = target(name).one
    atheris.Setup([name, *words], one)
    atheris.Fuzz()


def main(words: list[str]) -> None:
    """What the first word says."""
    match words:
        case ["--list"]:
            print("\n".join(names()))
        case ["--seeds", folder, name]:
            write_seeds(Path(folder), name)
        case ["--replay", name, *files]:
            for file in files:
                target(name).one(Path(file).read_bytes())
        case [name, *rest]:
            fuzz(name, rest)
        case _:
            sys.exit(f"usage: {__doc__}")


if __name__ == "__main__":
    main(sys.argv[1:])
