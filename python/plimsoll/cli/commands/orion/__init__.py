"""The verb `orion`: ORION's own command line and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.output import flush, print_document, run_words, say, say_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from plimsoll.cli.place import Place
    from plimsoll.flows.orion import Prepared, Written
    from plimsoll.requests.orion import OrionRequest

task = "measure"


def command_class() -> type[Any]:
    """What reads the words: ORION's own are not the parser's."""
    from plimsoll.cli.commands.orion.raw_words import RawWords

    return RawWords


@asks("orion.OrionRequest")
def command(asked: OrionRequest, place: Place) -> int:
    """Take ORION's command line, and write ORION's files.

    NAME.lun holds the targets, one path on each line; NAME is given with -testname.
    """
    from plimsoll import results
    from plimsoll.cli.data import of_runs
    from plimsoll.cli.session import session
    from plimsoll.dialects.orion.arguments import wants_help
    from plimsoll.flows.orion import prepare, run_orion

    if wants_help(asked.words):
        return _help(place.json)
    with session(place) as here:
        test = prepare(here.ctx, asked)
        if place.is_for_people:
            _announce(test)
        written = run_orion(here.ctx, test, _tracer(test, place))
        run = written.run
        calibration = results.kinds()["calibration"]
        data = {**calibration.data(run, "calibration"), "files": [str(path) for path in written.files]}
        notes = (*test.notes, *run.notes)
        return here.finish(
            "orion", data, lambda: _show(written), notes, results.status(run), lambda: of_runs([run])
        )


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
    flush()


def _tracer(test: Prepared, place: Place) -> Callable[[str], None]:
    """With -verbose the trace goes to standard output as well, which belongs to data where such is asked for."""
    if not place.is_for_people or not test.arguments.verbose:
        return lambda line: None
    return _say_now


def _say_now(line: str) -> None:
    say(line)
    flush()


def _show(written: Written) -> None:
    for line in ("", *written.best, ""):
        say(line)
    for line in _failed_checks(written):
        say(line)
    say(f"{run_words(written.run) or 'no run was stored'}; files:")
    for path in written.files:
        say(f"  {path}")


def _failed_checks(written: Written) -> list[str]:
    """What speaks against the figures; each check once, in the words of the last point that failed it."""
    found = written.run.calibration
    assert found is not None, "an orion run has a calibration"
    checks = [check for point in found.points if point.cell for check in point.cell.checks]
    failed = {check.name: check.reason for check in checks if check.passed is False}
    return [f"check failed: {name}: {reason}" for name, reason in failed.items()]
