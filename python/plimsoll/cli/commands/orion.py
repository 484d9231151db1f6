"""The verb `orion`: ORION's own command line and files."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from plimsoll.cli import options
from plimsoll.cli.output import print_document, say, say_lines
from plimsoll.cli.raw_words import RawWords

if TYPE_CHECKING:
    from collections.abc import Callable

    from plimsoll.flows.orion import Prepared, Written

command_class = RawWords


def command(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ORION_OPTIONS",
            help="ORION's own options with one dash, in any order: plimsoll orion -help lists them.",
            show_default=False,
        ),
    ] = None,
    layout: Annotated[
        Literal["11.1", "12.1"],
        typer.Option("--layout", help="Whose files to write: ORION 11.1's or 12.1's."),
    ] = "11.1",
    output_dir: Annotated[
        str | None,
        typer.Option(
            "--output-dir", metavar="FOLDER", help="Where the files go.", show_default="beside the .lun file"
        ),
    ] = None,
    engine: options.Engine = "auto",
    destroy: options.Destroy = [],  # noqa: B006 - typer copies it
    seed: options.Seed = None,
    json: options.Json = False,
    events: options.Events = None,
    store: options.StorePlace = None,
) -> int:
    """Take ORION's command line, and write ORION's files.

    NAME.lun holds the targets, one path on each line; NAME is given with -testname.
    """
    from pathlib import Path

    from plimsoll.cli.calibration_data import calibration_data
    from plimsoll.cli.commands.calibrate import calibration_status
    from plimsoll.cli.place import Place
    from plimsoll.cli.session import session
    from plimsoll.dialects.orion.arguments import parse, wants_help
    from plimsoll.flows.orion import OrionRequest, prepare, run_orion

    asked = words or []
    if wants_help(asked):
        return _help(json)
    request = OrionRequest(
        arguments=parse(asked),
        layout=layout,
        folder=None if output_dir is None else Path(output_dir),
        engine=engine,
        destroy=tuple(destroy),
        seed=seed,
    )
    with session(Place(json, events, store)) as here:
        test = prepare(here.ctx, request)
        if not json:
            _announce(test)
        written = run_orion(here.ctx, test, _tracer(test, json))
        run = written.run
        data = {**calibration_data(run), "files": [str(path) for path in written.files]}
        status = calibration_status(run)
        return here.finish("orion", data, lambda: _show(written), (*test.notes, *run.notes), status)


def _help(json: bool) -> int:
    from plimsoll.cli.output import envelope
    from plimsoll.dialects.orion.options import help_text

    if json:
        print_document(envelope("orion-help", {"text": help_text()}))
    else:
        say_lines(help_text())
    return 0


def _announce(test: Prepared) -> None:
    """What the original prints before it begins."""
    from plimsoll import __version__

    say(f"ORION-compatible test of plimsoll {__version__}")
    say(test.prefix.name)
    say(f"Calibration will take approximately {test.minutes} minutes.")
    if test.request.large_pattern == "sequential":
        say("Using a large value for -cache_size may take longer.")
    sys.stdout.flush()


def _tracer(test: Prepared, json: bool) -> Callable[[str], None]:
    """With -verbose the trace goes to standard output as well, which belongs to the document where one is asked for."""
    if json or not test.asked.arguments.verbose:
        return lambda line: None
    return _say_now


def _say_now(line: str) -> None:
    say(line)
    sys.stdout.flush()


def _show(written: Written) -> None:
    for line in ("", *written.best, ""):
        say(line)
    for line in _failed_checks(written):
        say(line)
    say(f"run {written.run.id}; files:")
    for path in written.files:
        say(f"  {path}")


def _failed_checks(written: Written) -> list[str]:
    """What speaks against the figures; each check once, in the words of the last point that failed it."""
    found = written.run.calibration
    assert found is not None, "an orion run has a calibration"
    checks = [check for point in found.points if point.cell for check in point.cell.checks]
    failed = {check.name: check.reason for check in checks if check.passed is False}
    return [f"check failed: {name}: {reason}" for name, reason in failed.items()]
