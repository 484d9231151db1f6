//! The two periods that a compare-period report is about.

use serde::Serialize;

use super::{Header, Printed, agreed, fill, minutes, yes};
use crate::dates;
use crate::model::{Row, Tables, Text};
use crate::words::plain;

/// One of the two.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Period {
    /// The database's name.
    pub db_name: Option<String>,
    /// The database's number.
    pub db_id: Option<u64>,
    /// The name that is its own among standby databases.
    pub unique_name: Option<String>,
    /// The instance's name.
    pub instance: Option<String>,
    /// The instance's number.
    pub instance_number: Option<u64>,
    /// The host's name.
    pub host: Option<String>,
    /// `19.0.0.0.0`
    pub release: Option<String>,
    /// Primary or standby.
    pub role: Option<String>,
    /// Enterprise, standard …
    pub edition: Option<String>,
    /// Whether the database is a cluster.
    pub rac: Option<bool>,
    /// Whether it is a container of databases.
    pub cdb: Option<bool>,
    /// The standard block.
    pub block_bytes: Option<f64>,
    /// Its first snapshot.
    pub begin_snap: Option<u64>,
    /// Its last snapshot.
    pub end_snap: Option<u64>,
    /// When the first was taken.
    pub begin_time: Option<String>,
    /// When the last was taken.
    pub end_time: Option<String>,
    /// Between both.
    pub elapsed_s: Option<f64>,
    /// Of sessions in calls of clients.
    pub db_time_s: Option<f64>,
    /// On average.
    pub average_active_sessions: Option<f64>,
}

/// Reads both, and fills the head with what they agree in.
pub fn read(text: &Text, tables: &Tables, header: &mut Header) {
    let mut periods = [Period::default(), Period::default()];
    for table in tables.tables.iter().take(super::TABLES_MAX) {
        let table = Printed { text, tables, table };
        let Some(set) = table.column(&["snapshotset"]) else { continue };
        for row in table.rows() {
            let words = table.words_at(*row, set).unwrap_or_default();
            if let Some(period) = place(&words) {
                read_row(&table, *row, &mut periods[period]);
            }
        }
    }
    for line in text.source().lines().take(HEAD_LINES_MAX) {
        read_line(line, tables, &mut periods);
    }
    if periods.iter().all(|period| *period == Period::default()) {
        return;
    }
    agree(&periods, header);
    header.periods = periods.into();
}

/// `First (1st)` and `1st`, `Second (2nd)` and `2nd`.
fn place(words: &str) -> Option<usize> {
    let words = plain(words);
    ["1st", "2nd"].iter().position(|place| words.contains(place))
}

/// The head has no more.
const HEAD_LINES_MAX: usize = 40;

/// Text puts a period's moments a column left of their dashes, so that its line is read by its words: the set, then a snapshot with
/// its day, time and weekday, the same of the other snapshot, sessions and two times in minutes.
fn read_line(line: &str, tables: &Tables, periods: &mut [Period; 2]) -> Option<()> {
    let words: Vec<&str> = line.split_whitespace().filter(|word| !word.starts_with('(')).collect();
    let [set, begin, begin_day, begin_clock, end, end_day, end_clock, sessions, elapsed, db_time] =
        words.as_slice()
    else {
        return None;
    };
    let period = &mut periods[place(set)?];
    let number = |words: &str| Some(crate::value::parse(words.as_bytes(), tables.decimal)?.0);
    fill(&mut period.begin_snap, begin.parse().ok());
    fill(&mut period.end_snap, end.parse().ok());
    fill(&mut period.begin_time, dates::read(&format!("{begin_day} {begin_clock}")));
    fill(&mut period.end_time, dates::read(&format!("{end_day} {end_clock}")));
    fill(&mut period.average_active_sessions, number(sessions));
    fill(&mut period.elapsed_s, number(elapsed).map(minutes));
    fill(&mut period.db_time_s, number(db_time).map(minutes));
    Some(())
}

fn read_row(table: &Printed<'_>, row: Row, period: &mut Period) {
    let words = |names: &[&str]| table.words(row, names);
    let moment = |names: &[&str]| words(names).as_deref().and_then(dates::read);
    let seconds = |names: &[&str]| table.number(row, names).map(minutes);
    fill(&mut period.db_name, words(&["dbname"]));
    fill(&mut period.db_id, table.count(row, &["dbid"]));
    fill(&mut period.unique_name, words(&["uniquename"]));
    fill(&mut period.instance, words(&["instance", "instname"]));
    fill(&mut period.instance_number, table.count(row, &["instnum"]));
    fill(&mut period.host, words(&["host", "hostname"]));
    fill(&mut period.release, words(&["release"]));
    fill(&mut period.role, words(&["dbrole", "role"]));
    fill(&mut period.edition, words(&["edition"]));
    fill(&mut period.rac, words(&["cluster", "rac"]).as_deref().and_then(yes));
    fill(&mut period.cdb, words(&["cdb"]).as_deref().and_then(yes));
    fill(&mut period.block_bytes, table.cell(row, &["stdblocksize"]).and_then(|cell| cell.scaled(1024.0)));
    fill(&mut period.begin_snap, table.count(row, &["beginsnapid"]));
    fill(&mut period.end_snap, table.count(row, &["endsnapid"]));
    fill(&mut period.begin_time, moment(&["beginsnaptime"]));
    fill(&mut period.end_time, moment(&["endsnaptime"]));
    fill(&mut period.elapsed_s, seconds(&["elapsedtime(min)"]));
    fill(&mut period.db_time_s, seconds(&["dbtime(min)"]));
    fill(&mut period.average_active_sessions, table.number(row, &["avgactiveusers", "avgactivesessions"]));
}

fn agree(periods: &[Period; 2], header: &mut Header) {
    let both = |field: fn(&Period) -> &Option<String>| agreed(periods.iter().map(field));
    header.db_name = both(|period| &period.db_name);
    header.unique_name = both(|period| &period.unique_name);
    header.instance = both(|period| &period.instance);
    header.host = both(|period| &period.host);
    header.release = both(|period| &period.release);
    header.role = both(|period| &period.role);
    header.edition = both(|period| &period.edition);
    let [first, second] = periods;
    header.db_id = first.db_id.filter(|_| first.db_id == second.db_id);
    header.instance_number =
        first.instance_number.filter(|_| first.instance_number == second.instance_number);
    header.rac = first.rac.filter(|_| first.rac == second.rac);
    header.cdb = first.cdb.filter(|_| first.cdb == second.cdb);
    header.block_bytes = first.block_bytes.filter(|_| first.block_bytes == second.block_bytes);
}

#[cfg(test)]
mod tests {
    use crate::header::Header;

    fn header(report: &str) -> Header {
        crate::read(report.as_bytes().to_vec()).header
    }

    #[test]
    fn text_has_both_periods() {
        let header = header(
            "\
WORKLOAD REPOSITORY COMPARE PERIOD REPORT

Snapshot Set DB Name         DB Id    Instance     Inst num Release     Cluster Host          Std Block Size
------------ ------------ ----------- ------------ -------- ----------- ------- ------------ ---------------
First (1st)  SHOP           909607496 shop1               1 11.2.0.4.0  NO      h1                      8192
Second (2nd) SHOP           909607496 shop1               1 19.0.0.0.0  NO      h2                      8192

Snapshot Set  Begin Snap Id Begin Snap Time            End Snap Id End Snap Time                  Avg Active Users           Elapsed Time (min)            DB time (min)
------------ -------------- ------------------------- ------------ ------------------------- -------------------------- -------------------------- --------------------------
1st                      91 08-Dec-23 00:29:40 (Fri)           92 08-Dec-23 00:34:40 (Fri)                       7.0                       5.0                      35.2
2nd                      88 08-Dec-23 00:23:57 (Fri)           89 08-Dec-23 00:28:57 (Fri)                       7.1                       5.0                      35.5
                                                                                      ~~~~~~~ ~~~~~~~~~~~~~~~~~~~~~~~~~~ ~~~~~~~~~~~~~~~~~~~~~~~~~~ ~~~~~~~~~~~~~~~~~~~~~~~~~~
                                                                                      %Diff:                     1.4%                       0.0%                       0.9%
",
        );
        let [first, second] = header.periods.as_slice() else { panic!("{:?}", header.periods) };
        assert_eq!((first.begin_snap, first.end_snap, first.db_time_s), (Some(91), Some(92), Some(2112.0)));
        assert_eq!(second.begin_time.as_deref(), Some("2023-12-08T00:23:57"));
        assert_eq!((second.release.as_deref(), second.host.as_deref()), (Some("19.0.0.0.0"), Some("h2")));
        assert_eq!(
            (header.db_name.as_deref(), header.db_id, header.host),
            (Some("SHOP"), Some(909_607_496), None)
        );
        assert_eq!((header.begin_snap, header.elapsed_s, header.block_bytes), (None, None, Some(8192.0)));
    }

    #[test]
    fn html_has_both_periods() {
        let row = |tag: &str, cells: &[&str]| {
            let cells: String = cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect();
            format!("<tr>{cells}</tr>")
        };
        let report = [
            "<h1>WORKLOAD REPOSITORY COMPARE PERIOD REPORT</h1><table>".to_owned(),
            row(
                "th",
                &[
                    "Snapshot Set",
                    "DB Name",
                    "DB Id",
                    "Instance",
                    "Inst num",
                    "Release",
                    "Cluster",
                    "Host",
                    "Std Block Size",
                ],
            ),
            row("td", &["First (1st)", "SHOP", "7", "s1", "1", "12.1.0.2.0", "YES", "h1", "8K"]),
            row("td", &["Second (2nd)", "SHOP", "7", "s2", "2", "12.1.0.2.0", "YES", "h2", "8K"]),
            "</table><table>".to_owned(),
            row(
                "th",
                &[
                    "Snapshot Set",
                    "Begin Snap Id",
                    "Begin Snap Time",
                    "End Snap Id",
                    "End Snap Time",
                    "Avg Active Users",
                    "Elapsed Time (min)",
                    "DB time (min)",
                ],
            ),
            row("td", &["1st", "1", "08-Dec-23 00:29:40", "2", "08-Dec-23 00:34:40", "7.0", "5.0", "35.2"]),
            row("td", &["2nd", "3", "09-Dec-23 00:29:40", "4", "09-Dec-23 00:39:40", "7.0", "10.0", "70.4"]),
            "</table>".to_owned(),
        ];
        let header = header(&report.concat());
        assert_eq!(header.periods[1].elapsed_s, Some(600.0));
        assert_eq!(
            (header.release.as_deref(), header.instance, header.rac),
            (Some("12.1.0.2.0"), None, Some(true))
        );
        assert_eq!(header.block_bytes, Some(8192.0));
    }
}
