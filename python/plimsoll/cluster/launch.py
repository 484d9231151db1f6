"""The command that starts an agent on a host: the system's own ssh, or whatever else gives its standard streams."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Protocol

from plimsoll.base.errors import UsageError
from plimsoll.base.printable import printable

PLACE = "{host}"


_IN_NAMES = frozenset("._-:@%+=[]/")
"""What names of hosts have beside letters and digits: `root@db1`, `[fe80::1%eth0]`, `pod/db-0`. All else is of shells."""

_SHELLS = frozenset(("ash", "bash", "dash", "ksh", "mksh", "sh", "zsh"))
_SHELL_OPTION = re.compile("-[ceilpuvx]+|--(login|norc|noprofile|posix)")
"""Options of shells that take no word for themselves, but for `c` the script."""
_PASSES_ON = "'exec \"$@\"'"


class Way(Protocol):
    """How agents are started: what gives the standard streams of each."""

    @property
    def ends_as_agent(self) -> bool:
        """Whether what is started ends by the agent's own status; a launcher may end by itself."""
        ...

    def command(self, host: str) -> list[str]:
        """For one host. Raises UsageError, OSError."""
        ...

    def by_hand(self, host: str) -> str:
        """What a person types to see whether the host is reached."""
        ...

    def agent_by_hand(self, host: str) -> str:
        """What a person types to start the agent there."""
        ...


@dataclass(frozen=True)
class Launch:
    """How agents are started."""

    launcher: str
    agent: str

    @property
    def ends_as_agent(self) -> bool:
        """Nobody knows what a launcher does."""
        return False

    def command(self, host: str) -> list[str]:
        """For one host. Raises UsageError `launcher-unreadable`, `launcher-no-host`."""
        return [*self._way(host), *_words("agent", self.agent)]

    def by_hand(self, host: str) -> str:
        """What a person types to see whether the launcher gets there."""
        return shlex.join([*self._way(host), "true"])

    def agent_by_hand(self, host: str) -> str:
        """What a person types to start the agent there."""
        return shlex.join(self.command(host))

    def _way(self, host: str) -> list[str]:
        words = _words("launcher", self.launcher)
        if not any(PLACE in word for word in words):
            message = f"--launcher {self.launcher} has no {PLACE}, and would start all agents in one place"
            proposed = _with_place(self.launcher, words)
            if proposed is None:
                raise UsageError(
                    "launcher-no-host", message, f"Write {PLACE} where the name of the host goes."
                )
            hint = f"Say where the name goes, such as --launcher {_quoted(proposed)}"
            raise UsageError("launcher-no-host", message, hint)
        return [word.replace(PLACE, host) for word in words]


def _with_place(launcher: str, words: Sequence[str]) -> str | None:
    """The launcher with a place for the name: as the last word, unless a program takes that for another; None: nobody can tell."""
    names = [PurePath(word).name for word in words]
    shell = next((place for place, name in enumerate(names) if name in _SHELLS), None)
    if shell is not None:
        # What ssh is told is read by one more shell, which takes quotes away.
        return None if "ssh" in names[:shell] else _behind_shell(launcher, words, shell)
    if names[0] == "env" and _sets_alone(words[1:]):
        return f"{launcher} HOST={PLACE}"
    # What an option takes as its own is no name of a host.
    return None if words[-1].startswith("-") and words[-1] != "--" else f"{launcher} {PLACE}"


def _behind_shell(launcher: str, words: Sequence[str], shell: int) -> str | None:
    """A shell takes its first word as a script, and with -c the next one as its own name."""
    for place, word in enumerate(words[shell + 1 :], shell + 1):
        if _SHELL_OPTION.fullmatch(word) is None:
            return None if word[0:1] in ("-", "+", "") else f"{launcher} {PLACE}"
        if "c" in word and not word.startswith("--"):
            script = words[place + 1 :]
            if any("$@" in word or "$*" in word for word in script[:1]):
                return f"{launcher} {PLACE}" if len(script) == 1 else None
            is_option = any(word.startswith("-") for word in script[:1])
            return None if is_option else f"{shlex.join(words[: place + 1])} {_PASSES_ON} {PLACE}"
    return f"{shlex.join(words)} -c {_PASSES_ON} {PLACE}"


def _sets_alone(words: Sequence[str]) -> bool:
    """Whether words of env only set variables, and name no program."""
    is_value = False
    for word in words:
        if not (is_value or word.startswith("-") or "=" in word):
            return False
        is_value = word in ("-u", "-C")
    return not is_value


def _quoted(text: str) -> str:
    """As people write it: in single quotes where it has none."""
    if "'" not in text:
        return f"'{text}'"
    return '"' + "".join("\\" + sign if sign in '\\"$`' else sign for sign in text) + '"'


def _words(option: str, text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        message = f"--{option} {text} cannot be read: {str(error).lower()}"
        raise UsageError(
            "launcher-unreadable", message, "Write it as in a shell, such as 'ssh -p 2222 {host}'."
        ) from error
    if not words:
        raise UsageError("launcher-unreadable", f"--{option} is empty", "Leave it out for ssh.")
    return words


def is_host_name(name: str) -> bool:
    """Whether a host may be called so.

    To ssh a word with a dash in front is an option, and some options run programs; a launcher may hand names to a shell.
    """
    return (
        bool(name)
        and not name.startswith("-")
        and all(letter.isalnum() or letter in _IN_NAMES for letter in name)
    )


def check_hosts(hosts: Sequence[str]) -> None:
    """Raises UsageError `hosts-twice`, `host-name`."""
    for host in hosts:
        if not is_host_name(host):
            message = f"'{printable(host)}' is no name of a host"
            raise UsageError("host-name", message, "Write --hosts db1,db2.")
    twice = next((host for host in hosts if hosts.count(host) > 1), None)
    if twice is not None:
        raise UsageError(
            "hosts-twice",
            f"{twice} is named twice in --hosts",
            "Name each host once; one host gives more load with more --jobs, or sessions of a proof.",
        )
