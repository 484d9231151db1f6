//! Typed views over real reports: those below the folder that `PLIMSOLL_CORPUS` names. Without it there is nothing to look at.

use std::path::{Path, PathBuf};
use std::{env, fs};

use arrow_array::{Array, Float64Array, RecordBatch};
use plimsoll_reports::Report;
use plimsoll_reports::model::Table;
use plimsoll_reports::sections;

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
    let mut failed = Vec::new();
    for (file, report) in reports() {
        let problems = report.tables.problems.iter().filter(|problem| problem.code == "cell-failed");
        failed.extend(problems.map(|problem| format!("{}: {problem:?}", file.display())));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn every_table_whose_title_a_view_knows_is_read() {
    let mut unread = Vec::new();
    for (file, report) in reports() {
        for table in report.tables.tables.iter().filter(|table| table.row_count > 0 && table.view.is_empty())
        {
            if !sections::for_title(&table.title).views.is_empty() && !is_prose(table) {
                unread.push(format!("{}:{} {} {:?}", file.display(), table.line, table.title, table.columns));
            }
        }
    }
    assert!(unread.is_empty(), "{}", unread.join("\n"));
}

/// Labels and values between the sections happen to stand below a title.
fn is_prose(table: &Table) -> bool {
    table.columns.iter().all(String::is_empty)
}

#[test]
fn text_and_html_of_one_report_say_the_same() {
    let reports = reports();
    let stem = |file: &Path| file.file_stem().map(|stem| stem.to_owned());
    for (file, html) in reports.iter().filter(|(file, _)| file.extension().is_some_and(|kind| kind == "html"))
    {
        let twin = reports.iter().find(|(other, _)| other != file && stem(other) == stem(file));
        let Some((_, text)) = twin else { continue };
        let mut apart = Vec::new();
        let compared: usize =
            both(html, text).iter().map(|(one, other)| compare(one, other, &mut apart)).sum();
        assert!(apart.is_empty(), "{}:\n{}", file.display(), apart.join("\n"));
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
            let title = plimsoll_reports::words::plain_title(&report.tables.tables[rows[0] as usize].title);
            all.push(Printed { view: typed.view.name, title, batch: batch.slice(first, rows.len()) });
            first += rows.len();
        }
    }
    all
}

/// Text prints `1.E+03` where HTML prints 1,200.
const ROUNDING_SHARE: f64 = 0.17;

/// A tenth of what is printed, rounded: in text a MiB has one digit.
fn rounding(column: &str) -> f64 {
    match column {
        _ if column.ends_with("_us") => 51.0,
        _ if column.ends_with("_bytes") => 0.051 * 1_048_576.0,
        "undo_blocks" => 51.0,
        _ => 0.051,
    }
}

/// Text of release 11.2.0.4 cuts the K from `118.6K`.
const CUT: (&str, &str) = ("wait_histogram", "waits");

/// How many numbers both print; says which differ by more than the digits that text leaves out.
fn compare(one: &Printed<'_>, other: &Printed<'_>, apart: &mut Vec<String>) -> usize {
    let mut compared = 0;
    for (at, field) in one.batch.schema().fields().iter().enumerate() {
        let numbers =
            |printed: &Printed<'_>| printed.batch.column(at).as_any().downcast_ref::<Float64Array>().cloned();
        let (Some(left), Some(right)) = (numbers(one), numbers(other)) else { continue };
        if (one.view, field.name().as_str()) == CUT {
            continue;
        }
        for row in (0..left.len()).filter(|row| !left.is_null(*row) && !right.is_null(*row)) {
            let (left, right) = (left.value(row), right.value(row));
            if (left - right).abs() > rounding(field.name()).max(left.abs().max(right.abs()) * ROUNDING_SHARE)
            {
                apart.push(format!("{} of {} in row {row}: {left} and {right}", field.name(), one.view));
            }
            compared += 1;
        }
    }
    compared
}
