"""What can be asked of `plimsoll completion`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from plimsoll.requests.asked import Asked, Examples, Request

Shell = Literal["bash", "zsh", "fish"]
_SHELL = Asked("shell", "The shell whose script is wanted.", stands_first=True)


@dataclass(frozen=True)
class CompletionRequest(Request):
    """The script for a shell."""

    verb = "completion"
    tells_events = False
    uses_store = False
    tables: ClassVar[tuple[str, ...] | None] = ()
    keeps_runs = False
    examples: ClassVar[Examples] = (
        (
            "For bash, from its next start on",
            "completion bash > ~/.local/share/bash-completion/completions/plimsoll",
        ),
        ("For zsh, into a folder of its fpath", "completion zsh > ~/.zfunc/_plimsoll"),
        ("For fish", "completion fish > ~/.config/fish/completions/plimsoll.fish"),
    )

    shell: Shell = _SHELL.field()
