//! Heads of ASH and ADDM reports, of OSPRep's pages and of Statspack 8i.

use super::{Header, Printed, agreed, duration, fill, minutes, yes};
use crate::addm;
use crate::dates;
use crate::kind::Kind;
use crate::model::{Row, Tables, Text};
use crate::words::plain;

/// Reads what only reports of this kind say.
pub fn read(kind: Kind, text: &Text, tables: &Tables, header: &mut Header) {
    let head = tables.tables.iter().take(super::TABLES_MAX);
    let head = head.map(|table| Printed { text, tables, table });
    match kind {
        Kind::Ash => head.for_each(|table| ash(&table, header)),
        Kind::Addm => analyses(text, tables, header),
        Kind::Osprep => head.for_each(|table| osprep(&table, header)),
        Kind::Statspack => head.for_each(|table| snap_length(&table, header)),
        _ => {}
    }
}

fn is_of_addm(title: &str) -> bool {
    [addm::ANALYSES, addm::SUMMARY, addm::FINDINGS, addm::INSTANCES].contains(&title)
}

/// Each label of a row with the cell behind it.
fn labels<'a>(table: &'a Printed<'_>) -> impl Iterator<Item = (String, Row, usize)> + 'a {
    table.rows().iter().flat_map(move |row| {
        let cells = table.tables.cells_of(*row);
        cells.iter().enumerate().map(move |(at, cell)| {
            let label = plain(table.text.get(cell.span));
            (label, *row, cells.get(at + 1).map_or(usize::MAX, |next| next.column as usize))
        })
    })
}

fn ash(table: &Printed<'_>, header: &mut Header) {
    for (label, row, value) in labels(table) {
        let words = || table.words_at(row, value);
        let moment = || words().as_deref().and_then(dates::read);
        match label.as_str() {
            "analysisbegintime:" => fill(&mut header.begin_time, moment()),
            "analysisendtime:" => fill(&mut header.end_time, moment()),
            "elapsedtime:" => {
                fill(&mut header.elapsed_s, words().and_then(|words| duration(&words, table.tables)));
            }
            "samplecount:" => fill(&mut header.sample_count, table.number_at(row, value)),
            "averageactivesessions:" => {
                fill(&mut header.average_active_sessions, table.number_at(row, value));
            }
            _ => {}
        }
    }
    if table.column(&["ashbuffersize"]).is_some() {
        let row = table.rows().first();
        fill(&mut header.cpus, row.and_then(|row| table.number(*row, &["cpus"])));
    }
}

/// What all analyses of a report agree in, and the ends of all of them.
fn analyses(text: &Text, tables: &Tables, header: &mut Header) {
    let Some(table) = tables.tables.iter().find(|table| table.title == addm::ANALYSES) else { return };
    let table = Printed { text, tables, table };
    let rows = || table.rows().iter();
    let same = |name: &str| agreed(rows().map(|row| table.words(*row, &[name])).collect::<Vec<_>>().iter());
    let count = |name: &str| rows().filter_map(|row| table.count(*row, &[name])).collect::<Vec<_>>();
    let moments =
        |name: &str| rows().filter_map(|row| dates::read(&table.words(*row, &[name])?)).collect::<Vec<_>>();
    fill(&mut header.db_name, same("dbname"));
    fill(&mut header.db_id, same("dbid").and_then(|words| words.parse().ok()));
    fill(&mut header.release, same("release"));
    fill(&mut header.instance, same("instance"));
    fill(&mut header.instance_number, same("instnum").and_then(|words| words.parse().ok()));
    fill(&mut header.host, same("host"));
    if tables.tables.iter().any(|other| !is_of_addm(&other.title)) {
        // The analyses are part of a report whose head is lost, and which they need not be of.
        return;
    }
    fill(&mut header.begin_snap, count("beginsnap").into_iter().min());
    fill(&mut header.end_snap, count("endsnap").into_iter().max());
    fill(&mut header.begin_time, moments("begintime").into_iter().min());
    fill(&mut header.end_time, moments("endtime").into_iter().max());
    if let [only] = table.rows() {
        fill(&mut header.db_time_s, table.number(*only, &["dbtime(s)"]));
    }
}

fn osprep(table: &Printed<'_>, header: &mut Header) {
    for (label, row, value) in labels(table) {
        let words = || table.words_at(row, value);
        match label.as_str() {
            "hostname:" => fill(&mut header.host, words()),
            "instance:" => fill(&mut header.instance, words()),
            "version:" => fill(&mut header.release, words()),
            "cluster:" => fill(&mut header.rac, words().as_deref().and_then(yes)),
            "startup/uptime" => {
                let startup = words().and_then(|words| dates::read(words.split('/').next()?));
                fill(&mut header.startup_time, startup);
            }
            "start" | "end" if table.column(&["snapid"]).is_some() => snapshot(table, row, &label, header),
            label if label.starts_with("elapsed:") => {
                let number = label.trim_start_matches("elapsed:").trim_end_matches("min");
                let number = crate::value::parse(number.as_bytes(), table.tables.decimal);
                fill(&mut header.elapsed_s, number.map(|(number, _)| minutes(number)));
            }
            _ => {}
        }
    }
}

fn snapshot(table: &Printed<'_>, row: Row, label: &str, header: &mut Header) {
    let (id, sessions) = (table.count(row, &["snapid"]), table.number(row, &["sessions"]));
    let time = table.words(row, &["snaptime"]).as_deref().and_then(dates::read);
    if label == "start" {
        fill(&mut header.begin_snap, id);
        fill(&mut header.begin_time, time);
        fill(&mut header.sessions_begin, sessions);
    } else {
        fill(&mut header.end_snap, id);
        fill(&mut header.end_time, time);
        fill(&mut header.sessions_end, sessions);
    }
}

/// Statspack 8.1.6 has both snapshots in one row.
fn snap_length(table: &Printed<'_>, header: &mut Header) {
    let Some(row) = table.rows().first().copied() else { return };
    if table.column(&["startid"]).is_none() || table.column(&["endid"]).is_none() {
        return;
    }
    let moment = |name: &str| table.words(row, &[name]).as_deref().and_then(dates::read);
    fill(&mut header.begin_snap, table.count(row, &["startid"]));
    fill(&mut header.end_snap, table.count(row, &["endid"]));
    fill(&mut header.begin_time, moment("starttime"));
    fill(&mut header.end_time, moment("endtime"));
    let length = table.number(row, &["snaplength(minutes)", "(minutes)"]);
    fill(&mut header.elapsed_s, length.map(minutes));
}

#[cfg(test)]
mod tests {
    use crate::addm::testing::HEAD;
    use crate::header::Header;

    fn header(report: &str) -> Header {
        crate::read(report.as_bytes().to_vec()).header
    }

    #[test]
    fn ash_says_what_was_sampled() {
        let text = header(
            "\
ASH Report For SHOP/shop1

DB Name         DB Id    Instance     Inst Num Release     RAC Host
------------ ----------- ------------ -------- ----------- --- ------------
SHOP          1237760515 shop1               1 11.1.0.7.0  NO  h1

CPUs           SGA Size       Buffer Cache        Shared Pool    ASH Buffer Size
---- ------------------ ------------------ ------------------ ------------------
  24     71,360M (100%)    64,512M (90.4%)    16,727M (23.4%)              M (%)


          Analysis Begin Time:   27-Apr-11 07:45:00
            Analysis End Time:   27-Apr-11 08:15:00
                 Elapsed Time:        30.0 (mins)
                 Sample Count:      25,697
      Average Active Sessions:      142.76
  Avg. Active Session per CPU:        5.95
                Report Target:   None specified
",
        );
        assert_eq!(text.begin_time.as_deref(), Some("2011-04-27T07:45:00"));
        assert_eq!((text.elapsed_s, text.sample_count), (Some(1800.0), Some(25_697.0)));
        assert_eq!((text.average_active_sessions, text.cpus), (Some(142.76), Some(24.0)));
        let html = header(
            "<h1>ASH Report For SHOP/shop1</h1><table><tr><th></th><th>Sample Time</th><th>Data Source</th></tr>\
             <tr><td>Analysis Begin Time:</td><td>22-May-12 00:00:00</td><td>V$ASH</td></tr>\
             <tr><td>Analysis End Time:</td><td>23-May-12 00:00:00</td><td>V$ASH</td></tr>\
             <tr><td>Elapsed Time:</td><td>   1,440.0 (mins) </td><td>&#160;</td></tr></table>",
        );
        assert_eq!((html.end_time.as_deref(), html.elapsed_s), (Some("2012-05-23T00:00:00"), Some(86_400.0)));
    }

    #[test]
    fn addm_says_what_was_analysed() {
        let report = header(HEAD);
        assert_eq!(
            (report.begin_snap, report.end_snap, report.db_time_s),
            (Some(410), Some(411), Some(602.0))
        );
        assert_eq!(report.begin_time.as_deref(), Some("2015-04-04T06:22:17"));
        assert_eq!((report.db_name.as_deref(), report.host.as_deref()), (Some("SHOP"), Some("h1.example")));
        assert_eq!((report.release.as_deref(), report.db_id), (Some("12.1.0.2.0"), Some(1_329_819_247)));
    }

    #[test]
    fn ospreps_pages_have_titles_in_their_tables() {
        let page = "<HTML><HEAD><TITLE>StatsPack Report for SHOP</TITLE></HEAD><BODY>\n<H2>StatsPack Report for SHOP</H2>\n\
            <TABLE ALIGN=\"center\" BORDER=\"1\"><TR><TH COLSPAN=\"2\">Common Instance Information</TH></TR>\n\
            <TR><TD class=\"td_name\">Hostname:</TD><TD>h1</TD></TR>\n<TR><TD class=\"td_name\">Instance:</TD><TD>shop</TD></TR>\n\
            <TR><TD class=\"td_name\">Version:</TD><TD>9.2.0.4.0</TD></TR>\n<TR><TD class=\"td_name\">Cluster:</TD><TD>NO</TD></TR>\n\
            <TR><TD class=\"td_name\">Startup / Uptime</TD><TD>01.02.2004 03:04 /    7.10 d</TD></TR></TABLE>\n<BR CLEAR=\"all\">\n\
            <TABLE><TR><TH COLSPAN=\"6\"><A NAME=\"snapinfo\">SnapShot Info</A></TH></TR>\n\
            <TR><TH CLASS=\"th_sub\">&nbsp;</TH><TH CLASS=\"th_sub\">Snap ID</TH>\n<TH CLASS=\"th_sub\">Snap Time</TH>\
            <TH CLASS=\"th_sub\">Sessions</TH><TH CLASS=\"th_sub\">Curs/Sess</TH><TH CLASS=\"th_sub\">Comment</TH></TR>\n\
            <TR><TD>Start</TD><TD ALIGN=\"right\">11</TD><TD>08.02.2004 10:00</TD><TD ALIGN=\"right\">40</TD><TD> 3.00<TD>&nbsp;</TD></TR>\n\
            <TR><TD>End</TD><TD ALIGN=\"right\">12</TD><TD>08.02.2004 11:00</TD><TD ALIGN=\"right\">41</TD><TD> 3.00<TD>&nbsp;</TD></TR>\n\
            <TR><TD COLSPAN=\"6\" ALIGN=\"center\">Elapsed:         60.02 min</TD></TR>\n</TABLE>\n\
            <TABLE><TR><TH COLSPAN=\"3\"><A NAME=\"loads\">Load Profile</A></TH></TR>\n\
            <TR><TH>&nbsp;</TH><TH>Per Second</TH><TH>Per Transaction</TH></TR>\n\
            <TR><TD>Redo Size</TD><TD>  12.50</TD><TD>  1.00</TD></TR></TABLE></BODY></HTML>";
        let report = crate::read(page.as_bytes().to_vec());
        let header = &report.header;
        assert_eq!(report.kind.name(), "osprep");
        assert_eq!((header.host.as_deref(), header.instance.as_deref()), (Some("h1"), Some("shop")));
        assert_eq!(
            (header.begin_snap, header.end_snap, header.elapsed_s),
            (Some(11), Some(12), Some(3601.2))
        );
        assert_eq!(header.end_time.as_deref(), Some("2004-02-08T11:00:00"));
        assert_eq!(header.startup_time.as_deref(), Some("2004-02-01T03:04:00"));
        assert_eq!((header.sessions_end, header.rac), (Some(41.0), Some(false)));
        assert!(report.typed.iter().any(|typed| typed.view.name == "load_profile"));
    }

    #[test]
    fn statspack_8i_has_both_snapshots_in_a_row() {
        let report = header(
            "\
STATSPACK report for

DB Name         DB Id    Instance     Inst Num Release     OPS Host
------------ ----------- ------------ -------- ----------- --- ------------
SHOP          1237760515 shop                1 8.1.6.0.0   NO  h1

                                                                Snap Length
Start Id  End Id       Start Time             End Time           (Minutes)
-------- -------- --------------------- --------------------- -----------
      11       12 05-Mar-01 08:30:21    05-Mar-01 09:30:25          60.07


Cache Sizes
~~~~~~~~~~~
           db_block_buffers:      16000
              db_block_size:       8192
                 log_buffer:     163840
           shared_pool_size:  200000000
",
        );
        assert_eq!(
            (report.begin_snap, report.end_snap, report.elapsed_s),
            (Some(11), Some(12), Some(3604.2))
        );
        assert_eq!(report.end_time.as_deref(), Some("2001-03-05T09:30:25"));
        assert_eq!((report.release.as_deref(), report.rac), (Some("8.1.6.0.0"), Some(false)));
        assert_eq!(report.block_bytes, Some(8192.0));
    }
}
