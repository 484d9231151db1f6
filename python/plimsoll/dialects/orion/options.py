"""The options of ORION, each written down once: the parser, the help and the manual's table are made of them.

From ORION's own help (10.2.0.1) and from option lists and runs of 11.1, 11.2, 12.2 and 19.3 that their users published.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

RUNS: Final = ("simple", "normal", "oltp", "dss", "advanced")


@dataclass(frozen=True)
class Option:
    """One option. `value` names what follows it, "" for a flag; numbers lie between `least` and `most`, words are `choices`.

    `everywhere`: taken with every kind of run; the others belong to advanced runs, `also_with` names exceptions.
    """

    name: str
    value: str
    help: str
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    everywhere: bool = False
    also_with: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """What may follow the option, in words."""
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.least is None:
            return "a name"
        return f"a whole number of at least {self.least}" + (
            "" if self.most is None else f", at most {self.most}"
        )


OPTIONS: Final = (
    Option(
        "run", "KIND", "Kind of the run; the one option that must be given.", choices=RUNS, everywhere=True
    ),
    Option(
        "testname",
        "NAME",
        "Name of the test: the targets stand in NAME.lun, the files begin with NAME. Default orion.",
        everywhere=True,
    ),
    Option(
        "num_disks",
        "N",
        "Disks behind the targets; the loads grow with it. Default: lines of the .lun file.",
        least=1,
        most=10_000,
        everywhere=True,
    ),
    Option("size_small", "KB", "Size of the small I/Os. Default 8.", least=1, most=65_536),
    Option("size_large", "KB", "Size of the large I/Os. Default 1024.", least=1, most=65_536),
    Option(
        "type",
        "TYPE",
        "Large I/Os at random places, or in sequential streams. Default rand.",
        choices=("rand", "seq"),
    ),
    Option(
        "num_streamIO", "N", "I/Os outstanding in each sequential stream. Default 4.", least=1, most=1_024
    ),
    Option(
        "simulate",
        "KIND",
        "How the targets make one volume: one behind the other, or striped. Default concat.",
        choices=("concat", "raid0"),
    ),
    Option("stripe", "KB", "Depth of the stripes of raid0. Default 1024.", least=1, most=1_048_576),
    Option(
        "write",
        "PERCENT",
        "Writes among the I/Os, or among the streams where these are sequential. Default 0.",
        least=0,
        most=100,
        also_with=("oltp",),
    ),
    Option(
        "cache_size",
        "MB",
        "Cache of the array, filled with other blocks before each sequential point; 0 for none.",
        least=0,
        most=16_777_216,
        everywhere=True,
    ),
    Option(
        "duration",
        "SECONDS",
        "Measured time of each point. Default 60.",
        least=1,
        most=86_400,
        everywhere=True,
    ),
    Option(
        "matrix",
        "KIND",
        "Which points are measured. Default basic.",
        choices=("basic", "detailed", "point", "row", "col", "max"),
    ),
    Option("num_small", "N", "Small I/Os outstanding: for point, col and max.", least=0, most=65_536),
    Option("num_large", "N", "Large I/Os or streams: for point, row and max.", least=0, most=65_536),
    Option(
        "storax",
        "API",
        "Way to the storage: skgfr, the operating system. The others need libraries of Oracle.",
        choices=("skgfr", "oss", "asmlib", "odmlib"),
        everywhere=True,
    ),
    Option(
        "hugenotneeded", "", "Accepted for old scripts: huge pages are never insisted on.", everywhere=True
    ),
    Option("verbose", "", "Print the trace on standard output as well.", everywhere=True),
    Option("help", "", "Show this text.", everywhere=True),
)
BY_NAME: Final = {option.name: option for option in OPTIONS}


def help_text() -> str:
    """What `-help` prints."""
    lines = [
        "plimsoll orion takes ORION's own options, in any order:",
        "",
        *(f"  {_left(option):<24}{option.help}" + _choices(option) for option in OPTIONS),
        "",
        "NAME.lun lists the targets, one path on each line. The files are NAME_DATE_TIME_summary.txt, _iops.csv,",
        "_mbps.csv, _lat.csv, _hist.txt and _trace.txt. With -write above 0, targets that carry anything are refused.",
        "Runs other than advanced take only -testname, -num_disks, -cache_size, -duration and flags; oltp also -write.",
        "Options of our own have two dashes: plimsoll orion --help.",
    ]
    return "\n".join(lines)


def _left(option: Option) -> str:
    return f"-{option.name} {option.value}".rstrip()


def _choices(option: Option) -> str:
    return f" [{'|'.join(option.choices)}]" if option.choices else ""
