//! What the head of a report says: the database, its host, the interval.

mod miner;
mod others;
mod periods;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::bounds::{HEAD_WORDS_BYTES_MAX, INSTANCES_MAX};
use crate::dates;
use crate::kind::Kind;
use crate::model::{Cell, Row, Status, Table, Tables, Text};
use crate::value::Suffix;
use crate::words::{begins_plain, is_plain, plain};
pub use periods::Period;

/// Each field is None where the report does not print it. Times are on the report's own clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Header {
    /// `11.2.0.4.0`
    pub release: Option<String>,
    /// The database's name.
    pub db_name: Option<String>,
    /// The database's number.
    pub db_id: Option<u64>,
    /// The name that is its own among standby databases.
    pub unique_name: Option<String>,
    /// The instance's name; of a cluster's report, where all of them are in it, None.
    pub instance: Option<String>,
    /// The instance's number.
    pub instance_number: Option<u64>,
    /// The host's name.
    pub host: Option<String>,
    /// Its operating system.
    pub platform: Option<String>,
    /// Whether the database is a cluster.
    pub rac: Option<bool>,
    /// Whether it is a container of databases.
    pub cdb: Option<bool>,
    /// The container that a report of one database is about.
    pub container: Option<String>,
    /// Primary or standby.
    pub role: Option<String>,
    /// Enterprise, standard …
    pub edition: Option<String>,
    /// Processors.
    pub cpus: Option<f64>,
    /// Cores.
    pub cores: Option<f64>,
    /// Sockets.
    pub sockets: Option<f64>,
    /// The host's memory.
    pub memory_bytes: Option<f64>,
    /// When the instance was started.
    pub startup_time: Option<String>,
    /// The first snapshot.
    pub begin_snap: Option<u64>,
    /// The last snapshot.
    pub end_snap: Option<u64>,
    /// When the first was taken.
    pub begin_time: Option<String>,
    /// When the last was taken.
    pub end_time: Option<String>,
    /// Between both.
    pub elapsed_s: Option<f64>,
    /// Of sessions in calls of clients.
    pub db_time_s: Option<f64>,
    /// Of those, on a processor.
    pub db_cpu_s: Option<f64>,
    /// At the begin.
    pub sessions_begin: Option<f64>,
    /// At the end.
    pub sessions_end: Option<f64>,
    /// The standard block.
    pub block_bytes: Option<f64>,
    /// Of ASH: how many samples.
    pub sample_count: Option<f64>,
    /// Of ASH: how many of them at a time.
    pub average_active_sessions: Option<f64>,
    /// Of a cluster's report.
    pub instances: Vec<Instance>,
    /// Of a report that compares two.
    pub periods: Vec<Period>,
}

/// One instance of a cluster's report.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Instance {
    /// Its number.
    pub instance_number: Option<u64>,
    /// Its name.
    pub instance: Option<String>,
    /// Its host.
    pub host: Option<String>,
    /// Its release.
    pub release: Option<String>,
    /// Its operating system.
    pub platform: Option<String>,
    /// When it was started.
    pub startup_time: Option<String>,
    /// Its first snapshot.
    pub begin_time: Option<String>,
    /// Its last snapshot.
    pub end_time: Option<String>,
    /// Between both, which differs by instance.
    pub elapsed_s: Option<f64>,
    /// Its share of the work.
    pub db_time_s: Option<f64>,
}

/// The head stands in one of the first tables; the load profile and what follows say other things under the same names.
pub const TABLES_MAX: usize = 14;

/// Reads the head.
pub fn read(kind: Kind, text: &Text, tables: &Tables) -> Header {
    let mut header = Header::default();
    for table in tables.tables.iter().take(TABLES_MAX).filter(|table| !is_damaged(text, tables, table)) {
        let view = Printed { text, tables, table };
        if view.title_begins("loadprofile") {
            break;
        }
        read_table(kind, &view, &mut header);
    }
    // Where the load profile comes first, the block size stands behind it.
    for table in tables.tables.iter().filter(|table| begins_plain(&table.title, "cachesizes")) {
        let table = Printed { text, tables, table };
        table.rows().iter().for_each(|row| read_labelled(&table, *row, &mut header));
    }
    if header.db_name.is_none() {
        header.db_name = name_in_titles(text.source());
    }
    match kind {
        Kind::AwrMiner => miner::read(text, tables, &mut header),
        Kind::AwrDiff => periods::read(text, tables, &mut header),
        _ => others::read(kind, text, tables, &mut header),
    }
    if kind == Kind::Statspack && header.host.is_none() {
        read_host_line(text.source(), tables, &mut header);
    }
    add_up(
        &mut header,
        tables.tables.iter().take(TABLES_MAX).find_map(|table| instances_said(text, tables, table)),
    );
    header
}

/// How many instances a cluster's report says that it is of.
fn instances_said(text: &Text, tables: &Tables, table: &Table) -> Option<u64> {
    let view = Printed { text, tables, table };
    view.count(*view.rows().first()?, &["numberofinstancesinreport"])
}

/// Whether headings or a row of the table are damaged, so that nobody knows what stands under which, or a row has lost its begin.
fn is_damaged(text: &Text, tables: &Tables, table: &Table) -> bool {
    let last = tables.rows_of(table).last().and_then(|row| tables.cells_of(*row).first());
    let lines = table.line..=last.map_or(table.line, |cell| cell.line + WRAPPED_LINES_MAX);
    let lacks_heading = || lacks_last_heading(&Printed { text, tables, table });
    let is_damage = |code: &str| match code {
        "row-odd" => !lacks_heading(),
        "row-headless" | "tag-damaged" | "lines-doubled" => true,
        _ => false,
    };
    let within = |line: Option<u32>| line.is_some_and(|line| lines.contains(&line));
    tables.problems.iter().any(|problem| is_damage(problem.code) && within(problem.line))
}

/// Whether all rows of the snapshots have the same number of cells, more than there are headings, and what stands under headings is
/// what they say: reports of 12.2 on a container of a cluster print the open databases without one.
fn lacks_last_heading(table: &Printed<'_>) -> bool {
    let said = table.table.columns.iter().rposition(|heading| !heading.is_empty()).map_or(0, |last| last + 1);
    let widths = || table.rows().iter().map(|row| table.tables.cells_of(*row).len());
    let is_snapshot = |row: &Row| {
        let time = table.words(*row, &["snaptime"]);
        table.count(*row, &["snapid"]).is_some() && time.as_deref().and_then(dates::read).is_some()
    };
    widths().all(|width| width == table.table.columns.len() && width > said)
        && table.rows().iter().filter(|row| is_snapshot(row)).count() == SNAPSHOTS
}

/// The first and the last.
const SNAPSHOTS: usize = 2;

/// So many lines may go on with the last row of a head.
const WRAPPED_LINES_MAX: u32 = 2;

fn read_table(kind: Kind, table: &Printed<'_>, header: &mut Header) {
    if kind == Kind::AwrGlobal {
        return read_cluster(table, header);
    }
    if let Some(row) = table.rows().first() {
        read_database(table, *row, header);
        read_host(table, *row, header);
    }
    for row in table.rows() {
        read_labelled(table, *row, header);
    }
}

fn read_database(table: &Printed<'_>, row: Row, header: &mut Header) {
    let words = |names: &[&str]| table.words(row, names);
    let is_plain = |names| table.cell(row, names).is_none_or(|cell| cell.suffix == Suffix::None);
    if !is_plain(&["dbid"]) || !is_plain(&["instnum"]) {
        // A number with a unit is none of a database: the row belongs to another table.
        return;
    }
    let is_named = table.column(&["dbid"]).is_some() && table.column(&["containername"]).is_none();
    let release = words(&["release"]);
    let named = table.rows().iter().filter(|row| table.count(**row, &["dbid"]).is_some()).count();
    if is_named && (named > 1 || release.as_deref().is_some_and(|release| !is_release(release))) {
        // Of two rows nobody knows which is the database's, and where no release stands others' words may.
        return;
    }
    if is_named {
        fill(&mut header.db_name, words(&["dbname", "database"]));
        fill(&mut header.db_id, table.count(row, &["dbid"]));
        fill(&mut header.unique_name, words(&["uniquename"]));
        fill(&mut header.role, words(&["role", "dbrole"]));
        fill(&mut header.edition, words(&["edition"]));
        fill(&mut header.release, release);
        fill(&mut header.rac, words(&["rac", "cluster", "ops"]).as_deref().and_then(yes));
        fill(&mut header.cdb, words(&["cdb"]).as_deref().and_then(yes));
        fill(&mut header.host, words(&["host", "hostname"]));
    }
    if table.column(&["instnum"]).is_some() {
        fill(&mut header.instance, words(&["instance"]));
        fill(&mut header.instance_number, table.count(row, &["instnum"]));
        fill(&mut header.startup_time, words(&["startuptime"]).as_deref().and_then(dates::read));
    }
    if table.column(&["opentime"]).is_some() && table.rows().len() == 1 {
        fill(&mut header.container, words(&["containername"]));
    }
}

/// `11.2.0.4.0`
fn is_release(words: &str) -> bool {
    let mut parts = words.split('.');
    parts.clone().count() > 2
        && parts.all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

fn read_host(table: &Printed<'_>, row: Row, header: &mut Header) {
    if table.column(&["hostname"]).is_some() && table.column(&["cpus"]).is_some() {
        fill(&mut header.host, table.words(row, &["hostname"]));
        fill(&mut header.platform, table.words(row, &["platform"]));
        fill(&mut header.cpus, table.number(row, &["cpus"]));
        fill(&mut header.cores, table.number(row, &["cores"]));
        fill(&mut header.sockets, table.number(row, &["sockets"]));
        fill(&mut header.memory_bytes, table.number(row, &["memory(gb)", "memory(g)"]).map(gib));
    } else if table.has_all(&["host", "platform", "cpus", "cores", "sockets", "memory"]) {
        read_host_by_order(table, row, header);
    }
}

/// Statspack's heading of the host has two words over two columns, and a narrow page breaks the line of headings.
fn read_host_by_order(table: &Printed<'_>, row: Row, header: &mut Header) {
    let Some(first) = table.table.columns.len().checked_sub(HOST_COLUMNS) else { return };
    let words = |at: usize| table.words_at(row, first + at);
    let number = |at: usize| table.number_at(row, first + at);
    fill(&mut header.host, words(0));
    fill(&mut header.platform, words(1));
    fill(&mut header.cpus, number(2));
    fill(&mut header.cores, number(3));
    fill(&mut header.sockets, number(4));
    fill(&mut header.memory_bytes, number(5).map(gib));
}

/// Host, platform, CPUs, cores, sockets, memory.
const HOST_COLUMNS: usize = 6;

fn gib(number: f64) -> f64 {
    number * f64::from(1 << 30)
}

/// Rows that begin with a label: snapshots, elapsed and DB time, block size.
fn read_labelled(table: &Printed<'_>, row: Row, header: &mut Header) {
    let cells = table.tables.cells_of(row);
    for (at, cell) in cells.iter().enumerate() {
        let words = table.text.get(cell.span);
        if !words.ends_with(':') {
            continue;
        }
        let label = plain(words);
        let after = cells.get(at + 1..).unwrap_or_default().iter().map(|cell| table.text.get(cell.span));
        let mut said = after.filter(|words| !words.is_empty());
        match label.as_str() {
            "beginsnap:" => snapshot(
                table,
                row,
                &mut header.begin_snap,
                &mut header.begin_time,
                &mut header.sessions_begin,
            ),
            "endsnap:" => {
                snapshot(table, row, &mut header.end_snap, &mut header.end_time, &mut header.sessions_end)
            }
            "elapsed:" => {
                fill(&mut header.elapsed_s, said.next().and_then(|words| duration(words, table.tables)))
            }
            "dbtime:" => {
                fill(&mut header.db_time_s, said.next().and_then(|words| duration(words, table.tables)))
            }
            "dbcpu:" => {
                fill(&mut header.db_cpu_s, said.next().and_then(|words| duration(words, table.tables)))
            }
            "stdblocksize:" | "db_block_size:" => {
                let size = cells.get(at + 1).and_then(|cell| cell.scaled(1024.0));
                fill(&mut header.block_bytes, size);
            }
            _ => {}
        }
    }
}

fn snapshot(
    table: &Printed<'_>,
    row: Row,
    id: &mut Option<u64>,
    time: &mut Option<String>,
    sessions: &mut Option<f64>,
) {
    fill(id, table.count(row, &["snapid"]));
    fill(time, table.words(row, &["snaptime"]).as_deref().and_then(dates::read));
    fill(sessions, table.number(row, &["sessions"]));
}

/// `60.22 (mins)` in seconds; hundredths of a minute are printed, so that more digits say nothing.
fn duration(words: &str, tables: &Tables) -> Option<f64> {
    let (number, unit) = words.split_once('(')?;
    let (number, _) = crate::value::parse(number.trim().as_bytes(), tables.decimal)?;
    let seconds = number * seconds_of(unit)?;
    Some((seconds * 1e3).round() / 1e3)
}

/// How many seconds a unit in parentheses has.
pub fn seconds_of(unit: &str) -> Option<f64> {
    match unit.trim_end().trim_end_matches(')').trim() {
        "mins" | "min" => Some(60.0),
        "secs" | "sec" => Some(1.0),
        "hrs" | "hours" => Some(3600.0),
        _ => None,
    }
}

/// Minutes in seconds; hundredths of a minute are printed, so that more digits say nothing.
fn minutes(number: f64) -> f64 {
    (number * 60.0 * 1e3).round() / 1e3
}

fn read_cluster(table: &Printed<'_>, header: &mut Header) {
    if table.column(&["databaseid"]).is_some() {
        let Some(row) = table.rows().first().copied() else { return };
        let words = |names: &[&str]| table.words(row, names);
        fill(&mut header.db_id, table.count(row, &["databaseid"]));
        fill(&mut header.db_name, words(&["databasename"]));
        fill(&mut header.unique_name, words(&["databaseuniquename"]));
        fill(&mut header.role, words(&["databaserole"]));
        fill(&mut header.edition, words(&["databaseedition"]));
        fill(&mut header.rac, words(&["databaserac"]).as_deref().and_then(yes));
        fill(&mut header.cdb, words(&["databasecdb"]).as_deref().and_then(yes));
        fill(&mut header.block_bytes, table.number(row, &["databaseblocksize"]));
        fill(&mut header.begin_snap, table.count(row, &["snapshotidsbegin"]));
        fill(&mut header.end_snap, table.count(row, &["snapshotidsend"]));
        fill(&mut header.db_time_s, table.number(row, &["reporttotal(minutes)dbtime"]).map(minutes));
        fill(&mut header.elapsed_s, table.number(row, &["reporttotal(minutes)elapsedtime"]).map(minutes));
    }
    if table.column(&["i#"]).is_some() && table.column(&["startup"]).is_some() {
        let rows = table.rows().iter().take(INSTANCES_MAX + 1);
        header.instances = rows.map(|row| instance(table, *row)).collect();
    }
}

fn instance(table: &Printed<'_>, row: Row) -> Instance {
    let moment = |names: &[&str]| table.words(row, names).as_deref().and_then(dates::read);
    let seconds = |names: &[&str]| table.number(row, names).map(minutes);
    Instance {
        instance_number: table.count(row, &["i#"]),
        instance: table.words(row, &["instance"]),
        host: table.words(row, &["host"]),
        release: table.words(row, &["release"]),
        platform: table.words(row, &["platform"]),
        startup_time: moment(&["startup"]),
        begin_time: moment(&["beginsnaptime"]),
        end_time: moment(&["endsnaptime"]),
        elapsed_s: seconds(&["elapsedtime(min)"]),
        db_time_s: seconds(&["dbtime(min)"]),
    }
}

/// The database of `DB/Inst: IGT/igt` behind a section's title: some heads leave it out.
fn name_in_titles(source: &str) -> Option<String> {
    let sign = "DB/Inst: ";
    let at = memchr::memmem::find(source.as_bytes(), sign.as_bytes())?;
    let name = source[at + sign.len()..].lines().next()?.split_once('/')?.0.trim();
    (!name.is_empty() && name.len() <= HEAD_WORDS_BYTES_MAX).then(|| name.to_owned())
}

/// Statspack of 10.2 has the host on a line of its own: `Host  Name:   quay         Num CPUs:    2        Phys Memory (MB):    2,047`.
fn read_host_line(source: &str, tables: &Tables, header: &mut Header) -> Option<()> {
    let line = source.lines().take(HEAD_LINES_MAX).find(|line| begins_plain(line, "hostname:"))?;
    let (_, line) = line.split_once("Name:")?;
    let (host, line) = line.split_once("Num CPUs:")?;
    let (cpus, memory) = line.split_once("Phys Memory (MB):")?;
    let number = |words: &str| Some(crate::value::parse(words.trim().as_bytes(), tables.decimal)?.0);
    let is_name = |host: &&str| !host.is_empty() && host.len() <= HEAD_WORDS_BYTES_MAX;
    header.host = Some(host.trim()).filter(is_name).map(str::to_owned);
    fill(&mut header.cpus, number(cpus));
    fill(&mut header.memory_bytes, number(memory).map(|mib| mib * f64::from(1 << 20)));
    Some(())
}

/// The head ends before so many lines.
const HEAD_LINES_MAX: usize = 40;

/// What a cluster's report says of each instance holds for the whole where all agree, or at its ends.
fn add_up(header: &mut Header, said: Option<u64>) {
    let all = &header.instances;
    fill(&mut header.begin_time, all.iter().filter_map(|one| one.begin_time.clone()).min());
    fill(&mut header.end_time, all.iter().filter_map(|one| one.end_time.clone()).max());
    fill(&mut header.release, agreed(all.iter().map(|one| &one.release)));
    fill(&mut header.platform, agreed(all.iter().map(|one| &one.platform)));
    if said.is_some_and(|said| said != all.len() as u64) {
        return;
    }
    if let [only] = all.as_slice() {
        fill(&mut header.instance, only.instance.clone());
        fill(&mut header.host, only.host.clone());
        fill(&mut header.instance_number, only.instance_number);
    }
}

fn agreed<'a>(mut values: impl Iterator<Item = &'a Option<String>>) -> Option<String> {
    let first = values.next()?.clone()?;
    values.all(|value| value.as_ref() == Some(&first)).then_some(first)
}

fn yes(words: &str) -> Option<bool> {
    match words.to_ascii_uppercase().as_str() {
        "YES" => Some(true),
        "NO" => Some(false),
        _ => None,
    }
}

/// What was found first stays.
fn fill<T>(field: &mut Option<T>, found: Option<T>) {
    if field.is_none() {
        *field = found;
    }
}

/// A table by the names of its columns.
struct Printed<'a> {
    text: &'a Text,
    tables: &'a Tables,
    table: &'a Table,
}

impl Printed<'_> {
    fn title_begins(&self, begin: &str) -> bool {
        begins_plain(&self.table.title, begin)
    }

    fn rows(&self) -> &[Row] {
        self.tables.rows_of(self.table)
    }

    fn column(&self, names: &[&str]) -> Option<usize> {
        self.table.columns.iter().position(|heading| names.iter().any(|name| is_plain(heading, name)))
    }

    fn has_all(&self, words: &[&str]) -> bool {
        let headings = plain(&self.table.columns.join(" "));
        words.iter().all(|word| headings.contains(word))
    }

    fn words(&self, row: Row, names: &[&str]) -> Option<String> {
        self.words_at(row, self.column(names)?)
    }

    fn number(&self, row: Row, names: &[&str]) -> Option<f64> {
        self.number_at(row, self.column(names)?)
    }

    fn count(&self, row: Row, names: &[&str]) -> Option<u64> {
        self.number(row, names).filter(|number| *number >= 0.0).map(|number| number as u64)
    }

    fn cell(&self, row: Row, names: &[&str]) -> Option<&Cell> {
        let column = self.column(names)?;
        self.tables.cells_of(row).iter().find(|cell| cell.column as usize == column)
    }

    fn words_at(&self, row: Row, column: usize) -> Option<String> {
        let cell = self.tables.cells_of(row).iter().find(|cell| cell.column as usize == column)?;
        let is_said = cell.status != Status::Blank && cell.span.len as usize <= HEAD_WORDS_BYTES_MAX;
        is_said.then(|| self.text.get(cell.span).to_owned())
    }

    fn number_at(&self, row: Row, column: usize) -> Option<f64> {
        self.tables.cells_of(row).iter().find(|cell| cell.column as usize == column)?.scaled(1e3)
    }
}
