//! AWR-Miner's names, values and intervals.

use std::collections::BTreeMap;

use super::{Header, Instance, Printed, fill, gib};
use crate::bounds::INSTANCES_MAX;
use crate::dates;
use crate::model::{Row, Tables, Text};

/// Reads both tables that say something of the whole.
pub fn read(text: &Text, tables: &Tables, header: &mut Header) {
    let named = |title: &str| tables.tables.iter().find(|table| table.title == title && !table.is_torn);
    if let Some(table) = named("OS-INFORMATION") {
        names(&Printed { text, tables, table }, header);
    }
    // Where headings stand between its rows, the section is more than one table.
    let metrics = || tables.tables.iter().filter(|table| table.title == "MAIN-METRICS" && !table.is_torn);
    let rows = metrics().map(|table| Printed { text, tables, table });
    let all = rows.flat_map(|table| of_each_row(&table)).collect();
    intervals(all, metrics().all(|table| !table.columns.iter().all(String::is_empty)), header);
}

fn names(table: &Printed<'_>, header: &mut Header) {
    for row in table.rows() {
        let value = table.words_at(*row, 1);
        let number = table.number_at(*row, 1);
        match table.words_at(*row, 0).unwrap_or_default().as_str() {
            "DB_NAME" => fill(&mut header.db_name, value),
            "DBID" => fill(&mut header.db_id, number.map(|number| number as u64)),
            "VERSION" => fill(&mut header.release, value),
            "HOSTS" => fill(&mut header.host, value),
            // A database that does not know its platform says so in this word.
            "PLATFORM_NAME" => {
                let known = value.filter(|name| name != "None");
                fill(&mut header.platform, known.map(|name| name.replace('_', " ")));
            }
            "NUM_CPUS" => fill(&mut header.cpus, number),
            "NUM_CPU_CORES" => fill(&mut header.cores, number),
            "NUM_CPU_SOCKETS" => fill(&mut header.sockets, number),
            "PHYSICAL_MEMORY_GB" => fill(&mut header.memory_bytes, number.map(gib)),
            "INSTANCES" => fill(&mut header.rac, number.map(|count| count > 1.0)),
            _ => {}
        }
    }
}

/// One interval of one instance.
struct Interval {
    instance: Option<u64>,
    end_snap: u64,
    begin: String,
    end: String,
}

fn of_each_row(table: &Printed<'_>) -> Vec<Interval> {
    table.rows().iter().filter_map(|row| interval(table, *row)).collect()
}

/// A row stands under the snapshot that ends its interval, so that the one before the first row's began it. Where rows stand under no
/// headings, nobody knows whether there are more instances.
fn intervals(all: Vec<Interval>, is_whole: bool, header: &mut Header) {
    let snaps = || all.iter().map(|interval| interval.end_snap);
    fill(&mut header.begin_snap, snaps().min().and_then(|snap| snap.checked_sub(1)));
    fill(&mut header.end_snap, snaps().max());
    fill(&mut header.begin_time, all.iter().map(|interval| interval.begin.clone()).min());
    fill(&mut header.end_time, all.iter().map(|interval| interval.end.clone()).max());
    let mut by_number: BTreeMap<u64, (&str, &str)> = BTreeMap::new();
    for interval in &all {
        if let Some(number) = interval.instance {
            let own = by_number.entry(number).or_insert((&interval.begin, &interval.end));
            *own = (own.0.min(&interval.begin), own.1.max(&interval.end));
        }
    }
    if !is_whole {
        return;
    }
    if by_number.len() == 1 {
        fill(&mut header.instance_number, by_number.keys().next().copied());
    } else {
        header.instances = by_number.into_iter().take(INSTANCES_MAX + 1).map(instance).collect();
    }
}

/// By its number, from its first moment to its last.
fn instance((number, (begin, end)): (u64, (&str, &str))) -> Instance {
    Instance {
        instance_number: Some(number),
        begin_time: Some(begin.to_owned()),
        end_time: Some(end.to_owned()),
        ..Instance::default()
    }
}

fn interval(table: &Printed<'_>, row: Row) -> Option<Interval> {
    let end = moment(&table.words(row, &["end"])?)?;
    let begin = dates::before(&end, table.number(row, &["dur_m"])? * 60.0)?;
    Some(Interval {
        instance: table.count(row, &["inst"]),
        end_snap: table.count(row, &["snap"])?,
        begin,
        end,
    })
}

/// `13/04/19 12:00`, the year first.
fn moment(words: &str) -> Option<String> {
    let (day, clock) = words.split_once(' ')?;
    let mut parts = day.split('/');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    dates::read(&format!("{day}-{month}-{year} {clock}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn intervals_end_at_their_snapshots() {
        let report = "\
~~BEGIN-OS-INFORMATION~~
STAT_NAME                      STAT_VALUE
------------------------------ ------------------------------
NUM_CPUS                       8
PLATFORM_NAME                  None
DB_NAME                        SHOP
INSTANCES                      2
~~END-OS-INFORMATION~~


~~BEGIN-MAIN-METRICS~~

      snap      dur_m end                  inst     os_cpu
---------- ---------- -------------- ---------- ----------
       800         11 14/12/05 18:39          2       18.9
       801         60 14/12/06 00:10          1       18.9
       801         60 14/12/06 00:12          2       18.9

~~END-MAIN-METRICS~~
";
        let header = crate::read(report.as_bytes().to_vec()).header;
        assert_eq!((header.begin_snap, header.end_snap), (Some(799), Some(801)));
        assert_eq!(header.begin_time.as_deref(), Some("2014-12-05T18:28:00"));
        assert_eq!(header.end_time.as_deref(), Some("2014-12-06T00:12:00"));
        assert_eq!(header.instances.len(), 2);
        assert_eq!(header.instances[0].begin_time.as_deref(), Some("2014-12-05T23:10:00"));
        let ruler = "---------- ---------- -------------- ---------- ----------\n";
        let again = report.replace(
            "18.9\n       801         60 14/12/06 00:10",
            &format!("18.9\n{ruler}       801         60 14/12/06 00:10"),
        );
        assert_eq!(crate::read(again.into_bytes()).header.instance_number, None);
        assert_eq!((header.platform, header.rac, header.cpus), (None, Some(true), Some(8.0)));
    }
}
