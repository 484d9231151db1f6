//! Typed views over real reports: those below the folder that `PLIMSOLL_CORPUS` names. Without it there is nothing to look at.

use std::path::{Path, PathBuf};
use std::{env, fs};

use arrow_array::{Array, Float64Array, RecordBatch};
use plimsoll_reports::Report;
use plimsoll_reports::model::Table;
use plimsoll_reports::sections;

/// Words between sections that happen to stand below a title: they are labels and values, and no table of the section.
const PROSE: [&str; 2] = ["Warning", "ORA-"];

/// Every report below the folder; none where no folder is named.
fn reports() -> Vec<(PathBuf, Report)> {
    let Some(folder) = env::var_os("PLIMSOLL_CORPUS") else {
        eprintln!("skipped: PLIMSOLL_CORPUS names no folder of reports");
        return Vec::new();
    };
    let mut files = Vec::new();
    find(Path::new(&folder), &mut files);
    files.sort();
    assert!(!files.is_empty(), "no file in {}", folder.display());
    let read = |file: PathBuf| {
        let report = plimsoll_reports::read(fs::read(&file).unwrap());
        (file, report)
    };
    files.into_iter().map(read).collect()
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { find(&path, files) } else { files.push(path) }
    }
}

#[test]
fn every_number_of_a_view_is_one() {
    for (file, report) in reports() {
        let failed = report.tables.problems.iter().filter(|problem| problem.code == "cell-failed");
        let failed: Vec<_> = failed.collect();
        assert!(
            failed.is_empty(),
            "{}: {} {:#?}",
            file.display(),
            failed.len(),
            &failed[..failed.len().min(5)]
        );
    }
}

#[test]
fn every_table_whose_title_a_view_knows_is_read() {
    let mut unread = Vec::new();
    for (file, report) in reports() {
        for table in report.tables.tables.iter().filter(|table| table.row_count > 0 && table.view.is_empty())
        {
            if sections::for_title(&table.title).into_iter().next().is_some() && !is_prose(&report, table) {
                unread.push(format!("{}:{} {} {:?}", file.display(), table.line, table.title, table.columns));
            }
        }
    }
    assert!(unread.is_empty(), "{}", unread.join("\n"));
}

fn is_prose(report: &Report, table: &Table) -> bool {
    let first = report.tables.rows_of(table).first().and_then(|row| report.tables.cells_of(*row).first());
    let words = first.map_or("", |cell| report.text.get(cell.span));
    table.columns.iter().all(String::is_empty) && PROSE.iter().any(|begin| words.starts_with(begin))
}

#[test]
fn text_and_html_of_one_report_say_the_same() {
    let reports = reports();
    let stem = |file: &Path| file.file_stem().map(|stem| stem.to_owned());
    for (file, html) in reports.iter().filter(|(file, _)| file.extension().is_some_and(|kind| kind == "html"))
    {
        let twin = reports.iter().find(|(other, _)| other != file && stem(other) == stem(file));
        let Some((_, text)) = twin else { continue };
        let mut compared = 0;
        for (one, other) in both(html, text) {
            compared += compare(file, &one, &other);
        }
        assert!(compared > 1000, "{}: only {compared} numbers were compared", file.display());
    }
}

/// What both print of a view, table by table: those of equally many rows.
fn both<'a>(html: &'a Report, text: &'a Report) -> Vec<(Printed<'a>, Printed<'a>)> {
    let (html, text) = (printed(html), printed(text));
    let twin = |one: &Printed<'a>| {
        text.iter()
            .find(|other| one.view == other.view && one.title == other.title && one.rows() == other.rows())
            .cloned()
    };
    html.iter().filter_map(|one| Some((one.clone(), twin(one)?))).collect()
}

/// The rows of a view that come from one table.
#[derive(Clone)]
struct Printed<'a> {
    view: &'a str,
    title: String,
    batch: RecordBatch,
}

impl Printed<'_> {
    fn rows(&self) -> usize {
        self.batch.num_rows()
    }
}

fn printed(report: &Report) -> Vec<Printed<'_>> {
    let mut all = Vec::new();
    for typed in &report.typed {
        let batch = typed.batch().unwrap();
        let tables: Vec<u32> =
            batch.column(0).as_any().downcast_ref::<arrow_array::UInt32Array>().unwrap().values().to_vec();
        let mut first = 0;
        for rows in tables.chunk_by(|one, other| one == other) {
            let title = sections::view::plain_title(&report.tables.tables[rows[0] as usize].title);
            all.push(Printed { view: typed.view.name, title, batch: batch.slice(first, rows.len()) });
            first += rows.len();
        }
    }
    all
}

/// How many numbers were the same, but for the digits that text leaves out.
fn compare(file: &Path, one: &Printed<'_>, other: &Printed<'_>) -> usize {
    let mut same = 0;
    for (at, field) in one.batch.schema().fields().iter().enumerate() {
        let numbers =
            |printed: &Printed<'_>| printed.batch.column(at).as_any().downcast_ref::<Float64Array>().cloned();
        let (Some(left), Some(right)) = (numbers(one), numbers(other)) else { continue };
        for row in (0..left.len()).filter(|row| !left.is_null(*row) && !right.is_null(*row)) {
            let (left, right) = (left.value(row), right.value(row));
            let rounding = if field.name().ends_with("_us") { 51.0 } else { 0.051 };
            let near = (left - right).abs() <= rounding.max(left.abs().max(right.abs()) * 0.06);
            assert!(
                near,
                "{}: {} of {} in row {row}: {left} and {right}",
                file.display(),
                field.name(),
                one.view
            );
            same += 1;
        }
    }
    same
}
