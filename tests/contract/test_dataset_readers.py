"""The tables of a read as their users open them: DuckDB finds in CSV what is in Parquet, row for row, and Polars counts as many."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars
import pytest

from plimsoll.flows.read import read_reports
from plimsoll.requests.read import ReadRequest
from reportgen.invent import Scale, invent
from reportgen.layout import Form, Kind, Layout
from reportgen.report import render
from simulated import context

LAYOUTS = (Layout("19"), Layout("19", Kind.GLOBAL), Layout("9.2", Kind.STATSPACK, Form.TEXT))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """A folder with `parquet` and `csv`, and how many cells the reports have."""
    folder = tmp_path_factory.mktemp("written")
    for number, layout in enumerate(LAYOUTS):
        (folder / f"{number}.txt").write_bytes(render(invent(number, Scale(rows=5)), layout))
    paths = tuple(sorted(folder.glob("*.txt")))
    with context(folder / "journals") as ctx:
        for file_format in ("parquet", "csv"):
            outcome = read_reports(
                ctx,
                ReadRequest(tuple(map(str, paths)), out=str(folder / file_format), file_format=file_format),
            )
    return folder, sum(report.cells.total for report in outcome.reports)


def tables(folder: Path) -> Iterator[str]:
    return (path.name for path in sorted((folder / "parquet").iterdir()) if path.is_dir())


def test_duckdb_finds_the_same_in_both(written: tuple[Path, int]) -> None:
    folder, cells = written
    names = list(tables(folder))
    assert len(names) > 40
    with duckdb.connect() as connection:
        for name in names:
            parquet = f"read_parquet('{folder}/parquet/{name}/*.parquet')"
            described = connection.execute(f"DESCRIBE SELECT * FROM {parquet}").fetchall()
            columns = {column: kind for column, kind, *_ in described}
            csv = f"read_csv('{folder}/csv/{name}.csv', header=true, columns={columns}, nullstr='', allow_quoted_nulls=false)"
            listed = ", ".join(columns)
            for one, other in ((parquet, csv), (csv, parquet)):
                more = connection.execute(
                    f"SELECT {listed} FROM {one} EXCEPT ALL SELECT {listed} FROM {other}"
                )
                assert more.fetchall() == [], name
            (count,) = connection.execute(f"SELECT count(*) FROM {parquet}").fetchall()[0]
            assert polars.read_parquet(folder / "parquet" / name / "*.parquet").height == count
            if name == "report_cells":
                assert count == cells


def test_no_row_of_a_database_is_found_under_another(written: tuple[Path, int]) -> None:
    folder, _ = written
    with duckdb.connect() as connection:
        reports = connection.execute(
            f"SELECT report, db_name FROM read_parquet('{folder}/parquet/reports/*.parquet')"
        ).fetchall()
        for name in tables(folder):
            if name not in ("reports", "report_cells", "addm_analyses"):
                found = connection.execute(
                    f"SELECT DISTINCT report, db_name FROM read_parquet('{folder}/parquet/{name}/*.parquet')"
                ).fetchall()
                assert set(found) <= set(reports), name
