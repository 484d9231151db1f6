"""ORION's command line, from the words as typed to plain values that have been checked against each other.

Every word is understood or refused by name; nothing is ignored. Values are taken in any case, as the original does with
`-simulate RAID0`; names of options as they are.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from plimsoll.base.errors import UsageError
from plimsoll.dialects.orion.options import BY_NAME, OPTIONS, Option
from plimsoll.facts import Note

Run = Literal["simple", "normal", "oltp", "dss", "advanced"]
Matrix = Literal["basic", "detailed", "point", "row", "col", "max"]

_SEE = "See plimsoll orion -help for the options."
_OTHER_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212"
"""What text processors and web pages make of a hyphen."""
_STATED_SMALL_KB = (2, 32)
_STATED_LARGE_KB_MIN = 128
_NEEDED = {
    "point": ("num_small", "num_large"),
    "row": ("num_large",),
    "col": ("num_small",),
    "max": ("num_small", "num_large"),
}
_FIXED: dict[str, dict[str, Any]] = {
    "simple": {},
    "normal": {"matrix": "detailed"},
    "oltp": {"matrix": "row", "num_large": 0},
    "dss": {"matrix": "col", "num_small": 0},
    "advanced": {},
}
"""What a kind of run stands for, besides the defaults."""


@dataclass(frozen=True)
class Arguments:
    """What was asked, with the defaults filled in. Sizes are in the units of the options, KB and MB of 1024.

    `num_disks` None: as many as the .lun file has lines; `cache_size` None: not given, which is not the same as 0.
    """

    run: Run
    words: tuple[str, ...]
    """As typed."""
    testname: str = "orion"
    num_disks: int | None = None
    size_small: int = 8
    size_large: int = 1024
    type: Literal["rand", "seq"] = "rand"
    num_streamIO: int = 4  # noqa: N815 - the option's own name
    simulate: Literal["concat", "raid0"] = "concat"
    stripe: int = 1024
    write: int = 0
    cache_size: int | None = None
    duration: int = 60
    matrix: Matrix = "basic"
    num_small: int | None = None
    num_large: int | None = None
    storax: str = "skgfr"
    hugenotneeded: bool = False
    verbose: bool = False
    help: bool = False
    notes: tuple[Note, ...] = field(default=())

    @property
    def sequential(self) -> bool:
        """Whether the large I/Os come in streams."""
        return self.type == "seq"


def wants_help(words: Sequence[str]) -> bool:
    """Whether ORION's own help was asked for, whatever else."""
    return "-help" in words


def parse(words: Sequence[str]) -> Arguments:
    """The arguments. Raises UsageError `orion-option-unknown`, `orion-option-twice`, `orion-value`, `orion-option-unfit`,
    `orion-option-missing`, `orion-storax`."""
    given = _given(list(words))
    if "run" not in given:
        raise UsageError(
            "orion-option-missing", "option -run is missing", f"Give -run simple for a first look. {_SEE}"
        )
    _check_run(given)
    asked = Arguments(words=tuple(words), notes=_notes(given), **{**_FIXED[given["run"]], **given})
    _check_together(asked, given)
    return asked


def _given(words: list[str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    while words:
        option = _option(words.pop(0))
        if option.name in given:
            raise UsageError(
                "orion-option-twice", f"option -{option.name} is given twice", "Leave one of the two out."
            )
        given[option.name] = _value(option, words) if option.value else True
    return given


def _option(word: str) -> Option:
    option = BY_NAME.get(word.removeprefix("-")) if word.startswith("-") else None
    if option is not None:
        return option
    if word[:1] and word[0] in _OTHER_DASHES:
        hint = f"Its first character is a dash from a text processor. Write -{word[1:]}."
    elif not word.startswith("-"):
        hint = f"Options begin with a dash, and each but the flags is followed by one value. {_SEE}"
    else:
        near = difflib.get_close_matches(word.strip("-").lower(), [o.name for o in OPTIONS], 1)
        hint = f"Did you mean -{near[0]}? {_SEE}" if near else _SEE
    raise UsageError("orion-option-unknown", f"there is no option '{word}' of ORION's", hint)


def _value(option: Option, words: list[str]) -> str | int:
    if not words or (words[0].startswith("-") and words[0][1:] in BY_NAME):
        raise _wrong(option, f"option -{option.name} has no value")
    word = words.pop(0)
    if option.choices:
        return _choice(option, word)
    if option.least is None:
        return _name(option, word)
    if not (word.isascii() and word.isdecimal()):
        raise _wrong(option, f"-{option.name} {word} is not a whole number")
    number = int(word) if len(word) < 20 else None
    if number is None or number < option.least or (option.most is not None and number > option.most):
        raise _wrong(option, f"-{option.name} {word} is out of range")
    return number


def _choice(option: Option, word: str) -> str:
    if word.lower() not in option.choices:
        raise _wrong(option, f"-{option.name} {word} is not known")
    if option.name == "storax" and word.lower() != "skgfr":
        raise UsageError(
            "orion-storax",
            f"-storax {word} cannot be used here: that way to the storage needs libraries of Oracle",
            "Leave it out: skgfr, the operating system's own calls, is the way that there is.",
        )
    return word.lower()


def _name(option: Option, word: str) -> str:
    if not word.strip() or not word.isprintable() or word.endswith("/"):
        raise _wrong(option, f"-{option.name} '{word}' is not a name")
    return word


def _wrong(option: Option, message: str) -> UsageError:
    unit = {"MB": " The value counts megabytes, not bytes.", "KB": " The value counts kilobytes, not bytes."}
    hint = f"It takes {option.allowed}.{unit.get(option.value, '')}"
    return UsageError("orion-value", message, hint)


def _check_run(given: dict[str, Any]) -> None:
    """Runs other than advanced have settings of their own, and take few."""
    run = given["run"]
    if run == "advanced":
        return
    for name in given:
        option = BY_NAME[name]
        if not option.everywhere and run not in option.also_with:
            raise UsageError(
                "orion-option-unfit",
                f"option -{name} does not go with -run {run}",
                f"A {run} run has its own setting for it. Use -run advanced to choose it.",
            )


def _check_together(asked: Arguments, given: dict[str, Any]) -> None:
    """Options that need another one."""
    if "num_streamIO" in given and not asked.sequential:
        raise _unfit("num_streamIO", "-type rand", "It counts I/Os of a sequential stream: add -type seq.")
    if "stripe" in given and asked.simulate != "raid0":
        raise _unfit("stripe", "-simulate concat", "Only a striped volume has stripes: add -simulate raid0.")
    needed = _NEEDED.get(asked.matrix, ())
    for name in ("num_small", "num_large"):
        if name in needed and getattr(asked, name) is None:
            raise UsageError(
                "orion-option-missing",
                f"-matrix {asked.matrix} needs option -{name}",
                f"Give -{name} and a number; 0 means none of these I/Os.",
            )
        if name in given and name not in needed:
            takers = ", ".join(matrix for matrix, names in _NEEDED.items() if name in names)
            raise _unfit(name, f"-matrix {asked.matrix}", f"It belongs to these matrices: {takers}.")
    if len(needed) == 2 and not asked.num_small and not asked.num_large:
        raise UsageError(
            "orion-option-unfit",
            "-num_small 0 and -num_large 0 leave nothing to measure",
            "Give one of them a number above 0.",
        )

    _check_stripe(asked)


def _check_stripe(asked: Arguments) -> None:
    """An I/O lies within one stripe: the engine does not split one over two targets."""
    if asked.simulate != "raid0":
        return
    needed = _NEEDED.get(asked.matrix, ())
    sizes = {"num_small": asked.size_small, "num_large": asked.size_large}
    for name, size_kb in sizes.items():
        idle = name in needed and not getattr(asked, name)
        if not idle and asked.stripe % size_kb:
            raise UsageError(
                "orion-option-unfit",
                f"-stripe {asked.stripe} does not go with I/Os of {size_kb} KB, of which it is no multiple",
                f"No I/O is split over two targets here. Give a stripe of {size_kb} KB, or of some times that.",
            )


def _unfit(name: str, other: str, hint: str) -> UsageError:
    return UsageError("orion-option-unfit", f"option -{name} does not go with {other}", hint)


def _notes(given: dict[str, Any]) -> tuple[Note, ...]:
    """Sizes outside the range that ORION states; the tool takes them all the same, and so do we."""
    notes = []
    small, large = given.get("size_small", 8), given.get("size_large", 1024)
    least, most = _STATED_SMALL_KB
    if not least <= small <= most:
        notes.append(
            Note(
                code="orion-size",
                message=f"ORION states {least} to {most} KB for small I/Os; asked are {small} KB",
            )
        )
    if large < _STATED_LARGE_KB_MIN:
        message = f"ORION states {_STATED_LARGE_KB_MIN} KB and more for large I/Os; asked are {large} KB"
        notes.append(Note(code="orion-size", message=message))
    return tuple(notes)
