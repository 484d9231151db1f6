//! Heads of many releases, of invented databases.

use super::Header;

fn header(report: &str) -> Header {
    crate::read(report.as_bytes().to_vec()).header
}

fn row(tag: &str, cells: &[&str]) -> String {
    let cells: String = cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect();
    format!("<tr>{cells}</tr>\n")
}

fn table(headings: &[&str], rows: &[&[&str]]) -> String {
    let rows: String = rows.iter().map(|cells| row("td", cells)).collect();
    format!("<table>{}{rows}</table>\n", row("th", headings))
}

fn snapshots() -> String {
    table(
        &["", "Snap Id", "Snap Time", "Sessions", "Cursors/Session"],
        &[
            &["Begin Snap:", "173", "23-Dec-23 12:30:01", "113", "1.1"],
            &["End Snap:", "174", "23-Dec-23 13:00:02", "111", "1.2"],
            &["Elapsed:", "&#160;", "   30.03 (mins)", "&#160;", "&#160;"],
            &["DB Time:", "&#160;", "   33.01 (mins)", "&#160;", "&#160;"],
        ],
    )
}

/// What every head says here: database, instance, host, snapshots.
fn said(header: &Header) -> String {
    let words = [
        &header.release,
        &header.db_name,
        &header.instance,
        &header.host,
        &header.begin_time,
        &header.end_time,
    ];
    let numbers = [header.db_id, header.instance_number, header.begin_snap, header.end_snap];
    let words = words.map(|words| words.as_deref().unwrap_or("-"));
    let numbers = numbers.map(|number| number.map_or("-".to_owned(), |number| number.to_string()));
    format!("{} {} {:?}", words.join(" "), numbers.join(" "), header.elapsed_s)
}

#[test]
fn statspack_9i_names_the_cluster() {
    let header = header(
        "\
STATSPACK report for

DB Name         DB Id    Instance     Inst Num Release     Cluster Host
------------ ----------- ------------ -------- ----------- ------- ------------
SHOP          1640394792 shop                1 9.2.0.4.0   YES     h1

            Snap Id     Snap Time      Sessions Curs/Sess Comment
            ------- ------------------ -------- --------- -------------------
Begin Snap:       3 05-Mar-03 08:30:21       14       5.6
  End Snap:       4 05-Mar-03 09:30:25       16       5.9
   Elapsed:               60.07 (mins)
",
    );
    assert_eq!(
        said(&header),
        "9.2.0.4.0 SHOP shop h1 2003-03-05T08:30:21 2003-03-05T09:30:25 1640394792 1 3 4 Some(3604.2)"
    );
    assert_eq!((header.rac, header.sessions_end), (Some(true), Some(16.0)));
}

#[test]
fn awr_10g_has_all_in_one_table() {
    let head = table(
        &["DB Name", "DB Id", "Instance", "Inst num", "Release", "RAC", "Host"],
        &[&["SHOP", "1640394792", "shop1", "1", "10.2.0.5.0", "NO", "h1"]],
    );
    let header = header(&format!("<h1>WORKLOAD REPOSITORY report for</h1>{head}{}", snapshots()));
    assert_eq!(
        said(&header),
        "10.2.0.5.0 SHOP shop1 h1 2023-12-23T12:30:01 2023-12-23T13:00:02 1640394792 1 173 174 Some(1801.8)"
    );
    assert_eq!(header.db_time_s, Some(1980.6));
}

#[test]
fn a_head_that_others_words_stand_in_says_nothing() {
    let headings = ["DB Name", "DB Id", "Instance", "Inst num", "Release", "RAC", "Host"];
    let read = |rows: &[&[&str]]| {
        let head = table(&headings, rows);
        header(&format!("<h1>WORKLOAD REPOSITORY report for</h1>{head}{}", snapshots()))
    };
    let whole: &[&str] = &["SHOP", "1640394792", "shop1", "1", "10.2.0.5.0", "NO", "h1"];
    let spliced: &[&str] = &["SHOP", "1,155", "0.0", "0", "0", "", "0"];
    assert_eq!(read(&[whole]).host.as_deref(), Some("h1"));
    assert_eq!((read(&[spliced]).release, read(&[spliced]).host), (None, None));
    assert_eq!((read(&[whole, whole]).db_id, read(&[whole, whole]).host), (None, None));
}

#[test]
fn from_12_2_on_the_head_has_three_tables() {
    for release in ["12.2.0.1.0", "18.0.0.0.0", "19.0.0.0.0", "21.0.0.0.0", "23.0.0.0.0"] {
        let database = table(
            &["DB Name", "DB Id", "Unique Name", "Role", "Edition", "Release", "RAC", "CDB"],
            &[&["SHOP", "2216396004", "shop_a", "PRIMARY", "EE", release, "NO", "YES"]],
        );
        let instance = table(
            &["Instance", "Inst Num", "Startup Time", "User Name", "System Data Visible"],
            &[&["shop", "1", "23-Dec-23 05:45", "SYS", "YES"]],
        );
        let host = table(
            &["Host Name", "Platform", "CPUs", "Cores", "Sockets", "Memory (GB)"],
            &[&["h1", "Linux x86 64-bit", "20", "5", "&#160;", "128.00"]],
        );
        let report =
            format!("<h1>WORKLOAD REPOSITORY report for</h1>{database}{instance}{host}{}", snapshots());
        let header = header(&report);
        let expected =
            " SHOP shop h1 2023-12-23T12:30:01 2023-12-23T13:00:02 2216396004 1 173 174 Some(1801.8)";
        assert_eq!(said(&header), format!("{release}{expected}"));
        assert_eq!((header.unique_name.as_deref(), header.edition.as_deref()), (Some("shop_a"), Some("EE")));
        assert_eq!((header.cpus, header.sockets, header.cdb), (Some(20.0), None, Some(true)));
        assert_eq!(header.startup_time.as_deref(), Some("2023-12-23T05:45:00"));
    }
}

#[test]
fn emptied_cells_are_unknown() {
    let head = "<H1 class=awr>WORKLOAD REPOSITORY report for </H1><TABLE border=1 width=600><TBODY>\
        <TR><TH class=awrbg>DB Name</TH>\r\n<TH class=awrbg>DB Id</TH>\r\n<TH class=awrbg>Instance</TH>\r\n\
        <TH class=awrbg>Inst num</TH>\r\n<TH class=awrbg>Release</TH>\r\n<TH class=awrbg>RAC</TH>\r\n<TH class=awrbg>Host</TH></TR>\r\n\
        <TR><TD class=awrnc></TD>\r\n<TD class=awrnc align=right></TD>\r\n<TD class=awrnc>shop1</TD>\r\n\
        <TD class=awrnc align=right>1</TD>\r\n<TD class=awrnc>11.2.0.3.0</TD>\r\n<TD class=awrnc>YES</TD>\r\n\
        <TD class=awrnc></TD></TR></TBODY></TABLE>";
    let header = header(&format!("{head}{}", snapshots().to_uppercase().replace("MINS", "mins")));
    assert_eq!(
        said(&header),
        "11.2.0.3.0 - shop1 - 2023-12-23T12:30:01 2023-12-23T13:00:02 - 1 173 174 Some(1801.8)"
    );
    assert_eq!(header.rac, Some(true));
}

#[test]
fn decimal_commas_are_read_in_the_head() {
    let head = table(
        &["DB Name", "DB Id", "Instance", "Inst num", "Release", "RAC", "Host"],
        &[&["SHOP", "1640394792", "shop1", "1", "11.2.0.4.0", "NO", "h1"]],
    );
    let snapshots = table(
        &["", "Snap Id", "Snap Time", "Sessions", "Cursors/Session"],
        &[
            &["Begin Snap:", "173", "23-DEZ-23 12:30:01", "1.113", "1,1"],
            &["End Snap:", "174", "24-DEZ-23 12:30:00", "111", "1,2"],
            &["Elapsed:", "&#160;", "1.439,98 (mins)", "&#160;", "&#160;"],
            &["DB Time:", "&#160;", "33,01 (mins)", "&#160;", "&#160;"],
        ],
    );
    let rows: Vec<Vec<String>> =
        (10..22).map(|number| vec![format!("Logons {number}:"), format!("{number},25")]).collect();
    let profile: String =
        rows.iter().map(|cells| row("td", &cells.iter().map(String::as_str).collect::<Vec<_>>())).collect();
    let profile = format!("<h3>Load Profile</h3><table>{}{profile}</table>", row("th", &["", "Per Second"]));
    let header = header(&format!("<h1>WORKLOAD REPOSITORY report for</h1>{head}{snapshots}{profile}"));
    assert_eq!((header.elapsed_s, header.db_time_s), (Some(86_398.8), Some(1980.6)));
    assert_eq!(
        (header.sessions_begin, header.end_time.as_deref()),
        (Some(1113.0), Some("2023-12-24T12:30:00"))
    );
}

#[test]
fn a_report_of_one_container_names_it() {
    let database = table(
        &["DB Name", "DB Id", "Unique Name", "Role", "Edition", "Release", "RAC", "CDB"],
        &[&["SHOP", "2216396004", "shop_a", "PRIMARY", "EE", "19.0.0.0.0", "NO", "YES"]],
    );
    let instance = table(&["Instance", "Inst Num", "Startup Time"], &[&["shop", "1", "23-Dec-23 05:45"]]);
    let container =
        table(&["Container DB Id", "Container Name", "Open Time"], &[&["77", "SALES", "23-Dec-23 05:46"]]);
    for title in ["(PDB snapshots)", "(root snapshots)"] {
        let title = format!("<h1>WORKLOAD REPOSITORY PDB report {title}</h1>");
        let report =
            crate::read(format!("{title}{database}{instance}{container}{}", snapshots()).into_bytes());
        assert_eq!(report.kind.name(), "awr-pdb");
        assert_eq!(report.header.container.as_deref(), Some("SALES"));
        assert_eq!(
            (report.header.db_name.as_deref(), report.header.db_id),
            (Some("SHOP"), Some(2_216_396_004))
        );
    }
}

#[test]
fn snapshots_of_a_container_of_a_cluster_have_a_cell_without_a_heading() {
    let database = table(
        &["DB Name", "DB Id", "Unique Name", "Role", "Edition", "Release", "RAC", "CDB"],
        &[&["SHOP", "2216396004", "shop_a", "PRIMARY", "EE", "12.2.0.1.0", "YES", "YES"]],
    );
    let read = |rows: &[&[&str]]| {
        let snapshots =
            table(&["", "Snap Id", "Snap Time", "Sessions", "Cursors/Session", "Instances"], rows);
        header(&format!("<h1>WORKLOAD REPOSITORY PDB report (PDB snapshots)</h1>{database}{snapshots}"))
    };
    let begin: &[&str] = &["Begin Snap:", "173", "23-Dec-23 12:30:01", "113", "1.1", "2", "3"];
    let end: &[&str] = &["End Snap:", "174", "23-Dec-23 13:00:02", "111", "1.2", "2", "3"];
    let elapsed: &[&str] = &["Elapsed:", "", "30.03 (mins)", "", "", "", ""];
    let db_time: &[&str] = &["DB Time:", "", "33.01 (mins)", "", "", "", ""];
    let whole = read(&[begin, end, elapsed, db_time]);
    assert_eq!((whole.begin_snap, whole.end_snap, whole.sessions_end), (Some(173), Some(174), Some(111.0)));
    assert_eq!((whole.elapsed_s, whole.db_time_s), (Some(1801.8), Some(1980.6)));
    assert_eq!(whole.end_time.as_deref(), Some("2023-12-23T13:00:02"));
    let narrow: &[&str] = &["End Snap:", "23-Dec-23 13:00:02", "111", "1.2", "2", "3"];
    assert_eq!(read(&[begin, narrow, elapsed, db_time]).elapsed_s, None);
    let shifted: &[&str] = &["Begin Snap:", "x", "173", "23-Dec-23 12:30:01", "113", "1.1", "2"];
    assert_eq!(read(&[shifted, end, elapsed, db_time]).begin_snap, None);
}

#[test]
fn one_of_two_instances_is_the_reports_instance() {
    let summary = table(
        &[
            "Database Id",
            "Database Name",
            "Database RAC",
            "Database Block Size",
            "Snapshot Ids Begin",
            "Snapshot Ids End",
            "Report Total (minutes) DB time",
            "Report Total (minutes) Elapsed time",
        ],
        &[&["7", "SHOP", "YES", "8192", "1", "2", "60.00", "30.00"]],
    );
    let of_two = summary.replace("<th>Snapshot Ids End</th>", "<th>Number of Instances In Report</th>");
    let headings = [
        "I#",
        "Instance",
        "Host",
        "Startup",
        "Begin Snap Time",
        "End Snap Time",
        "Release",
        "Elapsed Time(min)",
        "DB time(min)",
    ];
    let first = [
        "1",
        "s1",
        "h1",
        "01-Jan-23 00:00",
        "02-Jan-23 10:00",
        "02-Jan-23 10:30",
        "19.0.0.0.0",
        "30.00",
        "40.00",
    ];
    let second = [
        "2",
        "s2",
        "h2",
        "01-Jan-23 00:00",
        "02-Jan-23 10:00",
        "02-Jan-23 10:29",
        "19.0.0.0.0",
        "29.50",
        "20.00",
    ];
    let read_of = |summary: &str, rows: &[&[&str]]| {
        let title = "<h1>WORKLOAD REPOSITORY REPORT (RAC)</h1><h3>Database Summary</h3>";
        header(&format!(
            "{title}{summary}<h3>Database Instances Included In Report</h3>{}",
            table(&headings, rows)
        ))
    };
    let read = |rows: &[&[&str]]| read_of(&summary, rows);
    let one = read(&[&second]);
    assert_eq!(read_of(&of_two, &[&second]).host, None);
    assert_eq!(
        (one.instance.as_deref(), one.host.as_deref(), one.instance_number),
        (Some("s2"), Some("h2"), Some(2))
    );
    assert_eq!((one.rac, one.end_time.as_deref()), (Some(true), Some("2023-01-02T10:29:00")));
    let both = read(&[&first, &second]);
    assert_eq!((both.instance, both.instances.len(), both.release.as_deref()), (None, 2, Some("19.0.0.0.0")));
    assert_eq!((both.elapsed_s, both.instances[1].elapsed_s), (Some(1800.0), Some(1770.0)));
    assert_eq!(both.end_time.as_deref(), Some("2023-01-02T10:30:00"));
}

#[test]
fn text_over_all_instances_has_its_columns_in_groups() {
    let report = "\
WORKLOAD REPOSITORY REPORT (RAC)

Database Summary
~~~~~~~~~~~~~~~~
              Database                    Snapshot Ids     Number of Instances     Number of Hosts     Report Total (minutes)
------------------------------------   -----------------   ------------------   ------------------   ------------------------
         Id Name      RAC Block Size      Begin      End   In Report    Total   In Report    Total       DB time Elapsed time
----------- --------- --- ----------   -------- --------   --------- --------   --------- --------   ----------- ------------
  473377021 SHOP      YES       8192      35846    35847           2        3           2        3          0.45        30.03

Database Instances Included In Report
-> Listed in order of instance number, I#

                                                                                                                                      Avg Active
  I# Instance  Host       Startup         Begin Snap Time End Snap Time   Release         Elapsed Time(min) DB time(min) Up Time(hrs)   Sessions Platform
---- --------- ---------- --------------- --------------- --------------- --------------- ----------------- ------------ ------------ ---------- ---------------
   1 shop1     h1         16-Feb-16 17:08 19-Feb-16 17:30 19-Feb-16 18:00 11.2.0.3.0                  30.03         0.15        72.86       0.01 Linux x86 64-bi
   3 shop3     h3         18-Feb-16 12:07 19-Feb-16 17:30 19-Feb-16 18:00 11.2.0.3.0                  30.03         0.13        29.89       0.00 Linux x86 64-bi

";
    let read = crate::read(report.as_bytes().to_vec());
    assert_eq!((read.kind.name(), read.form.name()), ("awr-global", "text"));
    let header = read.header;
    assert_eq!((header.db_id, header.db_name.as_deref()), (Some(473_377_021), Some("SHOP")));
    assert_eq!(
        (header.begin_snap, header.end_snap, header.elapsed_s),
        (Some(35_846), Some(35_847), Some(1801.8))
    );
    assert_eq!((header.rac, header.block_bytes, header.db_time_s), (Some(true), Some(8192.0), Some(27.0)));
    let numbers: Vec<_> =
        header.instances.iter().map(|one| (one.instance_number, one.host.as_deref())).collect();
    assert_eq!(numbers, [(Some(1), Some("h1")), (Some(3), Some("h3"))]);
    assert_eq!(header.release.as_deref(), Some("11.2.0.3.0"));
}
