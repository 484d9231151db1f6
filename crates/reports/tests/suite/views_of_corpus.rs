//! Typed views against real reports, which are no part of the project: name their folder in `PLIMSOLL_CORPUS`.
//!
//! `PLIMSOLL_CORPUS=FOLDER cargo test -p plimsoll-reports --test suite views_of_corpus -- --ignored`

use std::path::{Path, PathBuf};
use std::{env, fs};

use arrow_array::{Array, Float64Array, RecordBatch, StringArray};
use plimsoll_reports::Report;
use plimsoll_reports::model::Table;

/// Titles as reports begin them, and the views that must have read what stands below.
const PRINTED: [(&str, &[&str]); 33] = [
    ("Load Profile", &["load_profile", "load_ratios"]),
    ("Instance Efficiency", &["instance_efficiency"]),
    ("Shared Pool Statistics", &["shared_pool_statistics"]),
    ("Cache Sizes", &["cache_sizes"]),
    ("Top 5 Timed", &["top_events"]),
    ("Top 10 Foreground Events", &["top_events"]),
    ("Top Timed", &["top_events"]),
    ("Wait Classes by", &["wait_classes"]),
    ("Foreground Wait Class", &["wait_classes"]),
    ("Foreground Wait Events", &["foreground_waits"]),
    ("Background Wait Events", &["background_waits"]),
    ("Wait Events", &["wait_events"]),
    ("Wait Event Histogram", &["wait_histogram"]),
    ("Time Model", &["time_model"]),
    ("Host CPU", &["host_cpu"]),
    ("OS Statistics By Instance", &["host_cpu"]),
    ("Instance CPU", &["instance_cpu"]),
    ("Operating System Statistics", &["os_statistics", "os_statistics_detail"]),
    ("OS Statistics", &["os_statistics", "os_statistics_detail", "host_cpu"]),
    ("Memory Statistics", &["memory_statistics"]),
    ("IO Profile", &["io_profile"]),
    ("IOStat by Function/", &["iostat_by_function_filetype"]),
    ("IOStat by Function ", &["iostat_by_function"]),
    ("IOStat by File", &["iostat_by_filetype"]),
    ("IO Stat by Function", &["iostat_by_function"]),
    ("IO Stats Function Detail", &["iostat_by_function_filetype"]),
    ("Tablespace IO Stats", &["tablespace_io"]),
    ("File IO Stats", &["file_io"]),
    ("File Read Histogram", &["file_read_histogram"]),
    ("Instance Activity Stats", &["instance_activity", "log_switches"]),
    ("Key Instance Activity Stats", &["instance_activity"]),
    ("System Statistics", &["rac_system_statistics", "instance_activity"]),
    ("Service Statistics", &["service_statistics"]),
];

fn reports() -> Vec<(PathBuf, Report)> {
    let folder = env::var("PLIMSOLL_CORPUS").expect("PLIMSOLL_CORPUS names the folder of reports");
    let files = files_of(Path::new(&folder));
    assert!(!files.is_empty(), "{folder} has no files");
    files
        .into_iter()
        .map(|file| (file.clone(), plimsoll_reports::read(fs::read(file).expect("is a file"))))
        .collect()
}

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("is a folder").map(|entry| entry.expect("has a name").path());
    let mut files: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { files_of(&path) } else { vec![path] }).collect();
    files.sort();
    files
}

/// Whether the table holds no more than what the head of the report says as well, as `(CPUs: 12 Cores: 6 Sockets: 1)`.
fn is_head(report: &Report, table: &Table) -> bool {
    let first = report.tables.rows_of(table).first().map(|row| report.tables.cells_of(*row)[0]);
    first.is_some_and(|cell| report.text.get(cell.span).starts_with("(CPUs"))
}

fn expected(title: &str) -> Option<&'static [&'static str]> {
    PRINTED.iter().find(|(begin, _)| title.starts_with(begin)).map(|(_, views)| *views)
}

#[test]
#[ignore = "needs PLIMSOLL_CORPUS, a folder of real reports"]
fn what_is_printed_is_found() {
    for (file, report) in reports() {
        for table in
            report.tables.tables.iter().filter(|table| table.row_count > 0 && !is_head(&report, table))
        {
            if let Some(views) = expected(table.title.trim()) {
                let place = format!("{}:{} {} {:?}", file.display(), table.line, table.title, table.columns);
                assert!(views.contains(&table.view), "'{}' reads {place}", table.view);
            }
        }
    }
}

#[test]
#[ignore = "needs PLIMSOLL_CORPUS, a folder of real reports"]
fn no_cell_that_should_be_a_number_is_none() {
    let views = views();
    for (file, report) in reports() {
        let failed = report.tables.problems.iter().find(|problem| {
            let view = problem.section.as_deref().unwrap_or_default();
            problem.code == "cell-failed" && views.contains(&view)
        });
        assert_eq!(failed, None, "{}", file.display());
    }
}

fn views() -> Vec<&'static str> {
    PRINTED.iter().flat_map(|(_, views)| views.iter().copied()).collect()
}

/// Text and HTML of one interval, by their names.
const TWINS: [&str; 2] = ["awr_11.2.0.4_rac_orcl1.txt", "awr_11.2.0.4_rac_orcl1.html"];

#[test]
#[ignore = "needs PLIMSOLL_CORPUS, a folder of real reports"]
fn text_and_html_of_one_interval_say_the_same() {
    let reports = reports();
    let named = |name: &str| reports.iter().find(|(file, _)| file.ends_with(name)).map(|(_, report)| report);
    let [text, html] = TWINS.map(|name| named(name).expect("the corpus has both"));
    let views = views();
    let (mut compared, mut differences) = (0, Vec::new());
    for typed in text.typed.iter().filter(|typed| views.contains(&typed.view.name)) {
        let twin = html.typed.iter().find(|twin| twin.view.name == typed.view.name);
        let twin = twin.unwrap_or_else(|| panic!("HTML has no {}", typed.view.name));
        let (text, html) = (typed.batch().unwrap(), twin.batch().unwrap());
        compared += same(typed.view.name, &text, &html, &mut differences);
    }
    assert!(differences.is_empty(), "{differences:#?}");
    assert!(compared > 2_000, "only {compared} numbers were compared");
}

/// Compares each number of the text with that of the HTML's row of the same words; how many.
fn same(view: &str, text: &RecordBatch, html: &RecordBatch, differences: &mut Vec<String>) -> usize {
    let mut free: Vec<usize> = (0..html.num_rows()).collect();
    let mut compared = 0;
    for row in 0..text.num_rows() {
        let Some(twin) = free.iter().position(|twin| words_fit(text, row, html, *twin)) else {
            differences.push(format!("HTML has no row like {:?} of {view}", words(text, row)));
            continue;
        };
        let twin = free.remove(twin);
        for ((name, one), (_, other)) in numbers(text, row).zip(numbers(html, twin)) {
            let (Some(one), Some(other)) = (one, other) else { continue };
            if !is_near(&name, one, other) {
                differences.push(format!("{view} {name} of {:?}: {one} and {other}", words(text, row)));
            }
            compared += 1;
        }
    }
    differences
        .extend(free.into_iter().map(|row| format!("text has no row like {:?} of {view}", words(html, row))));
    compared
}

/// Text cuts words off where HTML does not.
fn words_fit(text: &RecordBatch, row: usize, html: &RecordBatch, twin: usize) -> bool {
    let pairs = words(text, row).into_iter().zip(words(html, twin));
    pairs.into_iter().all(|(one, other)| match (one, other) {
        (Some(one), Some(other)) => {
            other.replace("Global Cache", "RAC GC").starts_with(&one) || other.starts_with(&one)
        }
        (one, other) => one == other,
    })
}

fn words(batch: &RecordBatch, row: usize) -> Vec<Option<String>> {
    let columns = batch.columns().iter().filter_map(|column| column.as_any().downcast_ref::<StringArray>());
    columns.map(|words| words.is_valid(row).then(|| words.value(row).to_owned())).collect()
}

fn numbers(batch: &RecordBatch, row: usize) -> impl Iterator<Item = (String, Option<f64>)> {
    let schema = batch.schema();
    let columns = batch.columns().iter().enumerate().filter_map(move |(at, column)| {
        let numbers = column.as_any().downcast_ref::<Float64Array>()?;
        let number = numbers.is_valid(row).then(|| numbers.value(row));
        Some((schema.field(at).name().clone(), number))
    });
    columns.collect::<Vec<_>>().into_iter()
}

/// Text prints one decimal where HTML prints more, and two digits of what is too wide.
fn is_near(column: &str, one: f64, other: f64) -> bool {
    let unit = if column.ends_with("_us") { 1e3 } else { 1.0 };
    let is_wide = column.ends_with("_percent") && other >= 1e3;
    let allowed = if is_wide { other * 0.2 } else { unit * 0.0501 };
    (one - other).abs() <= allowed
}
