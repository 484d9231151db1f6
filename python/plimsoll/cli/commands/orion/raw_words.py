"""A command that takes another tool's words untouched: `-run simple` would be read as the flags r, u and n otherwise."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand


class RawWords(TyperCommand):
    """Options with two dashes, and `-h`, are ours; every other word goes to the command's argument as it is."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own, others = self._apart(ctx, list(args))
        return super().parse_args(ctx, [*own, "--", *others])

    def _apart(self, ctx: Any, words: list[str]) -> tuple[list[str], list[str]]:
        with_value = {
            name
            for option in self.get_params(ctx)
            if not getattr(option, "is_flag", True)
            for name in option.opts
        }
        own, others = [], []
        while words:
            word = words.pop(0)
            if word == "--":
                return own, [*others, *words]
            ours = word.startswith("--") or word == "-h"
            (own if ours else others).append(word)
            if word in with_value and words:
                own.append(words.pop(0))
        return own, others
