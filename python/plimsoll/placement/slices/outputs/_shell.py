"""What programs for sh share: they stop at the first write that the kernel refuses, and say which."""

from __future__ import annotations

import shlex

from plimsoll.placement.slices.cost_model import COST_OFF
from plimsoll.placement.slices.layout import MARK, Layout, Pages

_HEAD = """#!/bin/sh
# {mark}
# {about}
set -eu
refuse() {{
    echo "$0: $1" >&2
    exit 1
}}
"""
PUT = """put() { # FILE VALUE
    printf '%s\\n' "$2" > "$1" || refuse "could not write '$2' to $1"
}
"""
NUMBER = """number() { # DISK: its number, which may be another one after a boot
    [ -b "$1" ] || refuse "there is no disk $1"
    found=$(lsblk --nodeps --noheadings --output MAJ:MIN "$1") || refuse "lsblk knows no disk $1"
    echo $found
}
"""
COSTED_NO_MORE = f"""costed_no_more() {{ # DISK: one that is gone has nothing to be switched off
    [ -b "$1" ] || return 0
    disk=$(number "$1")
    put "$root/io.cost.qos" "$disk {COST_OFF}"
}}
"""
RAISE = """raise() { # FILE PAGES: never fewer than there are, as others may use them
    # Pages that others use already count as the slices' own: add theirs to PAGES.
    if [ "$(cat "$1")" -lt "$2" ]; then echo "$2" > "$1"; fi
    [ "$(cat "$1")" -ge "$2" ] || refuse "the kernel has no room for $2 huge pages: $1"
}
"""


def head(about: str, *functions: str) -> str:
    """How a program begins."""
    return "".join([_HEAD.format(mark=MARK, about=about), *functions])


def quoted(word: str) -> str:
    """As one word for sh."""
    return shlex.quote(word)


def raised(pages: Pages) -> str:
    """The command that sees to a node's huge pages, with `RAISE`."""
    return f"raise {pages.file} {pages.pages}"


def disk_number(device: str) -> str:
    """The line that puts a disk's number into `$disk`, with `NUMBER`: by itself, as only so sh stops where there is none."""
    return f"disk=$(number {quoted(device)})"


def has_caps(layout: Layout) -> bool:
    """Whether any group has a cap on a disk."""
    return any(group.caps for group in layout.groups)


def below(root: str, path: str) -> str:
    """A path below what a variable names, as one word for sh."""
    return f'"{root}"/{quoted(path)}'
