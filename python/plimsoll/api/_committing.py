"""What commits of this host wait for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from plimsoll.api._asking import asks
from plimsoll.api._frames import frame_of
from plimsoll.api._results import Result
from plimsoll.context import Context
from plimsoll.facts import CommitCause, CommitsOfRole
from plimsoll.requests.commits import CommitsRequest

if TYPE_CHECKING:
    import polars


class CommitsWatched(Result):
    """Commits by role and kind; the frame has a row for each."""

    _columns: ClassVar[tuple[str, ...]] = ("role", "kind", "commits", "commits_per_s", "total_us_mean")

    @property
    def rows(self) -> tuple[CommitsOfRole, ...]:
        """Those with most time in commits first."""
        return () if self.run.commits is None else self.run.commits.rows

    @property
    def causes(self) -> tuple[CommitCause, ...]:
        """What the commits of each role wait for most."""
        return () if self.run.commits is None else self.run.commits.causes

    def frame(self, of: Literal["rows", "causes"] = "rows") -> polars.DataFrame:
        """A row per role and kind; or per role, with its cause."""
        return frame_of(self.causes) if of == "causes" else super().frame()

    def _parts(self) -> Sequence[CommitsOfRole]:
        return self.rows


@asks(CommitsRequest)
def commits(ctx: Context, asked: CommitsRequest) -> CommitsWatched:
    """What commits of this host wait for, as `plimsoll commits`.

    Example:
        found = plimsoll.commits(runtime="30s")
        [(cause.role, cause.cause, cause.share) for cause in found.causes]
        found.frame()  # a row per role and kind
    """
    from plimsoll.flows.commits import watch_commits

    return CommitsWatched(watch_commits(ctx, asked))
