"""The verbs of `store`: look at what was kept, and remove it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.group import Group
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.cli.session import Session
    from plimsoll.flows.remove import Removal
    from plimsoll.requests.store import (
        DeleteRequest,
        ExportRequest,
        ForgetRequest,
        ListRequest,
        NoteRequest,
        PredictionsRequest,
        PruneRequest,
        ShowRequest,
        SnapshotsRequest,
        TagRequest,
        ThinRequest,
    )

task = "keep"
command = Group("Look at stored runs, and remove them.")


@command.command("list")
@asks("store.ListRequest")
def list_runs(asked: ListRequest, place: Place) -> int:
    """List stored runs, newest first: all, or those that fit every filter."""
    from plimsoll.cli.data import of_facts
    from plimsoll.cli.session import session
    from plimsoll.context import EVERY_RUN
    from plimsoll.facts import RunSummary
    from plimsoll.flows.wanted import wanted_runs

    with session(place) as here:
        wanted = wanted_runs(here.ctx, asked)
        found = here.ctx.store.summaries(asked.limit, wanted)

        def show() -> None:
            from plimsoll.cli.show import show_summaries

            show_summaries(found, is_part=wanted != EVERY_RUN)

        data = {"runs": [run.model_dump(mode="json") for run in found]}
        return here.finish("store-list", data, show, tables=lambda: [of_facts("runs", RunSummary, found)])


@command.command("show")
@asks("store.ShowRequest")
def show_run(asked: ShowRequest, place: Place) -> int:
    """Show one stored run."""
    from plimsoll.cli.data import of_runs
    from plimsoll.cli.session import session

    with session(place) as here:
        stored = here.ctx.store.load(asked.run)

        def show() -> None:
            from plimsoll.cli.show import show_any

            show_any(stored)

        data = stored.model_dump(mode="json")
        return here.finish("run", data, show, stored.notes, tables=lambda: of_runs([stored]))


@command.command("tag")
@asks("store.TagRequest")
def tag_stored(asked: TagRequest, place: Place) -> int:
    """Give a stored run tags, or take them away."""
    from plimsoll.cli.session import session
    from plimsoll.flows.retell import tag_run

    with session(place) as here:
        run = tag_run(here.ctx, asked.run, asked.tags, asked.remove)
        data = {"run": run.id, "tags": list(run.tags)}
        return here.finish("store-tag", data, lambda: say(f"run {run.id}: {', '.join(run.tags) or 'no tag'}"))


@command.command("note")
@asks("store.NoteRequest")
def note_stored(asked: NoteRequest, place: Place) -> int:
    """Add a note to a stored run: what its figures do not say."""
    from plimsoll.cli.session import session
    from plimsoll.flows.retell import note_run

    with session(place) as here:
        run = note_run(here.ctx, asked.run, asked.text)
        note = run.notes[-1]
        data = {"run": run.id, "note": note.model_dump(mode="json")}
        return here.finish("store-note", data, lambda: say(f"run {run.id}: {note.message}"))


@command.command("predictions")
@asks("store.PredictionsRequest")
def list_predictions(asked: PredictionsRequest, place: Place) -> int:
    """List verdicts as predictions, with what became of them."""
    from plimsoll.cli.data import of_facts
    from plimsoll.cli.session import session
    from plimsoll.facts import PredictionSummary
    from plimsoll.flows.settle import predictions

    with session(place) as here:
        found = predictions(here.ctx, asked.limit)

        def show() -> None:
            from plimsoll.cli.show import show_predictions

            show_predictions(found)

        data = {"predictions": [one.model_dump(mode="json") for one in found]}
        return here.finish(
            "store-predictions",
            data,
            show,
            tables=lambda: [of_facts("predictions", PredictionSummary, found)],
        )


@command.command("snapshots")
@asks("store.SnapshotsRequest")
def list_snapshots(asked: SnapshotsRequest, place: Place) -> int:
    """List the series of snapshots that `plimsoll demand --every` keeps."""
    from plimsoll.cli.data import of_facts
    from plimsoll.cli.session import session
    from plimsoll.cli.show import show_series
    from plimsoll.facts import SnapshotSeries

    with session(place) as here:
        found = here.ctx.store.snapshot_series()
        data = {"series": [one.model_dump(mode="json") for one in found]}
        return here.finish(
            "store-snapshots",
            data,
            lambda: show_series(found),
            tables=lambda: [of_facts("series", SnapshotSeries, found)],
        )


@command.command("thin")
@asks("store.ThinRequest")
def thin_snapshots(asked: ThinRequest, place: Place) -> int:
    """Thin kept snapshots by their age: to hours, and later to days, with the busiest of each day left."""
    from plimsoll.cli.data import of_facts
    from plimsoll.cli.session import session
    from plimsoll.cli.show import show_thinned
    from plimsoll.facts import ThinnedSeries
    from plimsoll.flows.thin import thin

    with session(place) as here:
        found = thin(here.ctx, asked)
        data = {"series": [one.model_dump(mode="json") for one in found.series], "dry_run": asked.dry_run}
        return here.finish(
            "store-thin",
            data,
            lambda: show_thinned(found.series) if found.series or not found.notes else None,
            found.notes,
            found.status,
            tables=lambda: [of_facts("series", ThinnedSeries, found.series)],
        )


@command.command("forget")
@asks("store.ForgetRequest")
def forget_series(asked: ForgetRequest, place: Place) -> int:
    """Remove series of kept snapshots for good, whose collectors have ended."""
    from plimsoll.cli.data import of_facts
    from plimsoll.cli.session import session
    from plimsoll.cli.show import show_forgotten
    from plimsoll.facts import SnapshotSeries
    from plimsoll.flows.forget import forget

    with session(place) as here:
        found = forget(here.ctx, asked)
        data = {"series": [one.model_dump(mode="json") for one in found], "dry_run": asked.dry_run}
        return here.finish(
            "store-forget",
            data,
            lambda: show_forgotten(found, asked.dry_run),
            tables=lambda: [of_facts("series", SnapshotSeries, found)],
        )


@command.command("export")
@asks("store.ExportRequest")
def export_run(asked: ExportRequest, place: Place) -> int:
    """Write one stored run as files for other tools."""
    from plimsoll.cli.session import session
    from plimsoll.flows.export import export

    with session(place) as here:
        run = here.ctx.store.load(asked.run)
        written = export(run, asked.file_format, Path(asked.out), asked.escape_formulas)
        data = {"run": asked.run, "files": [str(path) for path in written]}

        def show() -> None:
            for path in written:
                say(path)

        return here.finish("store-export", data, show)


@command.command("delete")
@asks("store.DeleteRequest")
def delete_runs(asked: DeleteRequest, place: Place) -> int:
    """Remove stored runs for good: all that are named, or none."""
    from plimsoll.cli.session import session
    from plimsoll.flows.remove import remove

    with session(place) as here:
        return _say_removed(here, "store-delete", remove(here.ctx, asked.runs, asked.dry_run))


@command.command("prune")
@asks("store.PruneRequest")
def prune_runs(asked: PruneRequest, place: Place) -> int:
    """Remove stored runs of a certain age for good."""
    from plimsoll.cli.session import session
    from plimsoll.flows.remove import prune

    with session(place) as here:
        removal = prune(here.ctx, asked.older_than_s, asked.kind, asked.dry_run)
        return _say_removed(here, "store-prune", removal)


def _say_removed(here: Session, kind: str, removal: Removal) -> int:
    from plimsoll.base.units import format_bytes

    data = {"removed": [run.id for run in removal.runs], "freed_bytes": removal.freed_bytes}
    data["dry_run"] = bool(removal.runs) and removal.freed_bytes is None

    def show() -> None:
        for run in removal.runs:
            say(f"{run.id}  {run.kind}  {run.started_at:%Y-%m-%d %H:%M}  {run.title}")
        count = f"{len(removal.runs):,} run{'' if len(removal.runs) == 1 else 's'}"
        if not removal.runs:
            say("no run is that old")
        elif removal.freed_bytes is None:
            say(f"{count} would be removed")
        else:
            say(f"{count} removed, {format_bytes(removal.freed_bytes)}")

    return here.finish(kind, data, show)
