"""How to add to this installation, in the words of whatever made it: pip, uv, pipx, a clone, a bundle, or the container image.

The name of the distribution stands here alone; it is not that of the module, which is somebody else's on the index.
"""

from __future__ import annotations

import sys
from pathlib import Path

from plimsoll.base import settings

DISTRIBUTION = "plimsoll-storage"
_PACKAGE = Path(__file__).resolve().parents[1]


def extra_hint(extra: str) -> str:
    """What installs an extra of ours, such as `tables`."""
    wanted = f"'{DISTRIBUTION}[{extra}]'"
    match _made_by():
        case "clone":
            return f"`make build` in the clone installs it; it is part of {wanted}."
        case "image":
            return f"It is part of {wanted}: build the image with --build-arg EXTRAS={extra}."
        case "bundle":
            return f"It is part of {wanted}: make the bundle with EXTRAS={extra}."
        case "uv":
            return f"Install it with: uv tool install {wanted}."
        case "pipx":
            return f"Install it with: pipx install --force {wanted}."
        case _:
            return f"Install it with: pip install {wanted}."


def upgrade_hint() -> str:
    """What brings the newest release."""
    match _made_by():
        case "clone":
            return "Get the newer release with `git pull` and `make build` in the clone"
        case "image":
            return "Get the newer release with a newer image"
        case "bundle":
            return "Get the newer release with a newer bundle"
        case "uv":
            return f"Install the newer release with `uv tool upgrade {DISTRIBUTION}`"
        case "pipx":
            return f"Install the newer release with `pipx upgrade {DISTRIBUTION}`"
        case _:
            return f"Install the newer release with `pip install --upgrade {DISTRIBUTION}`"


def _made_by() -> str:
    """By what each leaves behind: a clone its sources, a bundle a file with its Python, uv and pipx one with a tool."""
    prefix = Path(sys.prefix)
    if settings.read(settings.IMAGE):
        return "image"
    if _PACKAGE.parent.name == "python" and (_PACKAGE.parents[1] / "Cargo.toml").is_file():
        return "clone"
    if (prefix / "plimsoll-bundle").is_file():
        return "bundle"
    if (prefix / "uv-receipt.toml").is_file():
        return "uv"
    return "pipx" if (prefix / "pipx_metadata.json").is_file() else "pip"
