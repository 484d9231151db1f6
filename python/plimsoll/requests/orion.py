"""What can be asked of `plimsoll orion`: ORION's own options, and ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Examples, Request

_WORDS = Asked(
    "words",
    "ORION's own options with one dash, in any order: plimsoll orion -help lists them.",
    metavar="ORION_OPTION",
    stands_first=True,
)
_LAYOUT = Asked("layout", "Whose files to write: ORION 11.1's or 12.1's.", group="Output")
_OUT = shared.OUT.but(
    help="Where the files go.", metavar="FOLDER", shown="beside the .lun file", aliases=("output_dir",)
)


@dataclass(frozen=True)
class OrionRequest(Request):
    """A test in ORION's words. `output_dir` None: beside the .lun file."""

    verb = "orion"
    examples: ClassVar[Examples] = (
        (
            "The targets that mytest.lun names, with small and large reads",
            "orion -run simple -testname mytest -num_disks 4",
        ),
    )

    words: tuple[str, ...] = _WORDS.field(())
    layout: Literal["11.1", "12.1"] = _LAYOUT.field("11.1")
    output_dir: str | None = _OUT.field(None)
    engine: str = shared.ENGINE.field("auto")
    destroy: tuple[str, ...] = shared.DESTROY.field(())
    seed: int | None = shared.SEED.field(None)
