"""The command that starts an agent on a host: the system's own ssh, or whatever else gives its standard streams."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from plimsoll.base.errors import UsageError
from plimsoll.base.printable import printable

PLACE = "{host}"


_IN_NAMES = frozenset("._-:@%+=[]/")
"""What names of hosts have beside letters and digits: `root@db1`, `[fe80::1%eth0]`, `pod/db-0`. All else is of shells."""


_SHELLS = frozenset(("ash", "bash", "dash", "ksh", "mksh", "sh", "zsh"))


@dataclass(frozen=True)
class Launch:
    """How agents are started."""

    launcher: str
    agent: str

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
            hint = f"Say where the name goes, such as --launcher {_with_place(self.launcher, words)}"
            raise UsageError("launcher-no-host", message, hint)
        return [word.replace(PLACE, host) for word in words]


def _with_place(launcher: str, words: Sequence[str]) -> str:
    """The launcher with a place for the name, quoted for a shell: as the last word, unless its program takes that for another."""
    program = PurePath(words[0]).name
    if program in _SHELLS and not any("$@" in word or "$*" in word for word in words):
        # A shell takes its first word as a script, and with -c the next one as its own name.
        launcher = f"{words[0]} -c 'exec \"$@\"'"
    elif program == "env":
        return _quoted(f"{launcher} HOST={PLACE}")
    return _quoted(f"{launcher} {PLACE}")


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


def check_hosts(hosts: Sequence[str]) -> None:
    """Raises UsageError `hosts-twice`, `host-name`."""
    for host in hosts:
        # To ssh a word with a dash in front is an option, and some options run programs; a launcher may hand names to a shell.
        if host.startswith("-") or not all(letter.isalnum() or letter in _IN_NAMES for letter in host):
            message = f"'{printable(host)}' is no name of a host"
            raise UsageError("host-name", message, "Write --hosts db1,db2.")
    twice = next((host for host in hosts if hosts.count(host) > 1), None)
    if twice is not None:
        raise UsageError(
            "hosts-twice",
            f"{twice} is named twice in --hosts",
            "Name each host once; one host gives more load with more --jobs, or sessions of a proof.",
        )
